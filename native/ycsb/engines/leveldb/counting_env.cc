#include "counting_env.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/clock.h"

namespace ycsb {
namespace {

bool EndsWith(const std::string& name, const std::string& end) {
  return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

bool IsTable(const std::string& name) { return EndsWith(name, ".ldb") || EndsWith(name, ".sst"); }

// The number in the name of a table's file.
uint64_t TableNumber(const std::string& name) {
  return std::strtoull(name.c_str() + name.rfind('/') + 1, nullptr, 10);
}

class CountingWritableFile final : public leveldb::WritableFile {
 public:
  CountingWritableFile(leveldb::WritableFile* file, std::shared_ptr<EnvCounts> counts,
                       std::atomic<uint64_t>* bytes)
      : file_(file), counts_(std::move(counts)), bytes_(bytes) {}

  leveldb::Status Append(const leveldb::Slice& data) override {
    bytes_->fetch_add(data.size(), std::memory_order_relaxed);
    return file_->Append(data);
  }
  leveldb::Status Close() override { return file_->Close(); }
  leveldb::Status Flush() override { return file_->Flush(); }
  leveldb::Status Sync() override { return file_->Sync(); }

 private:
  std::unique_ptr<leveldb::WritableFile> file_;
  std::shared_ptr<EnvCounts> counts_;
  std::atomic<uint64_t>* bytes_;  // in *counts_
};

class CountingReadFile final : public leveldb::RandomAccessFile {
 public:
  CountingReadFile(leveldb::RandomAccessFile* file, std::shared_ptr<EnvCounts> counts)
      : file_(file), counts_(std::move(counts)) {}

  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result,
                       char* scratch) const override {
    const leveldb::Status status = file_->Read(offset, n, result, scratch);
    if (counts_->InBackground()) {
      counts_->background_read_bytes.fetch_add(result->size(), std::memory_order_relaxed);
    } else {
      counts_->table_reads.Add();
    }
    return status;
  }

 private:
  std::unique_ptr<leveldb::RandomAccessFile> file_;
  std::shared_ptr<EnvCounts> counts_;
};

// A queued job. It counts itself off after LevelDB's function has returned, when the database may
// be closed and the environment gone: so it owns a share of the counts.
struct Job {
  void (*function)(void*);
  void* argument;
  std::shared_ptr<EnvCounts> counts;

  static void Run(void* pointer) {
    const std::unique_ptr<Job> job(static_cast<Job*>(pointer));
    job->counts->background.store(std::this_thread::get_id(), std::memory_order_relaxed);
    job->function(job->argument);
    job->counts->jobs.fetch_sub(1, std::memory_order_acq_rel);
  }
};

}  // namespace

CountingEnv::CountingEnv(Hooks hooks)
    : leveldb::EnvWrapper(leveldb::Env::Default()),
      hooks_(std::move(hooks)),
      counts_(std::make_shared<EnvCounts>()) {}

// The counter for what is written into the file `name`; null where it is not counted.
std::atomic<uint64_t>* CountingEnv::CounterFor(const std::string& name) const {
  if (IsTable(name)) {
    return hooks_.is_flush(TableNumber(name)) ? &counts_->flush_bytes : &counts_->compaction_bytes;
  }
  if (EndsWith(name, ".log")) return &counts_->wal_bytes;
  if (name.find("MANIFEST-") != std::string::npos) return &counts_->manifest_bytes;
  return nullptr;
}

void CountingEnv::Wrap(const std::string& name, leveldb::WritableFile** file) const {
  std::atomic<uint64_t>* const bytes = CounterFor(name);
  if (bytes != nullptr) *file = new CountingWritableFile(*file, counts_, bytes);
}

leveldb::Status CountingEnv::NewWritableFile(const std::string& name,
                                             leveldb::WritableFile** file) {
  if (EndsWith(name, ".log")) hooks_.writer_wakes();
  // A job that was cut off when the database was closed leaves a table behind whose number LevelDB
  // gives out again, and LevelDB would truncate it. In a clone it is a link: writing into it would
  // reach into the origin and all other clones.
  if (IsTable(name)) std::remove(name.c_str());
  const leveldb::Status status = target()->NewWritableFile(name, file);
  if (status.ok()) Wrap(name, file);
  return status;
}

leveldb::Status CountingEnv::NewAppendableFile(const std::string& name,
                                               leveldb::WritableFile** file) {
  const leveldb::Status status = target()->NewAppendableFile(name, file);
  if (status.ok()) Wrap(name, file);
  return status;
}

leveldb::Status CountingEnv::NewRandomAccessFile(const std::string& name,
                                                 leveldb::RandomAccessFile** file) {
  const leveldb::Status status = target()->NewRandomAccessFile(name, file);
  if (status.ok() && IsTable(name)) *file = new CountingReadFile(*file, counts_);
  return status;
}

void CountingEnv::Schedule(void (*function)(void*), void* argument) {
  counts_->jobs.fetch_add(1, std::memory_order_acq_rel);
  target()->Schedule(Job::Run, new Job{function, argument, counts_});
}

void CountingEnv::SleepForMicroseconds(int micros) {
  hooks_.writer_wakes();
  const int64_t start_ns = NowNs();
  target()->SleepForMicroseconds(micros);
  const auto slept_us = static_cast<uint64_t>((NowNs() - start_ns) / 1000);
  counts_->slowdown_us.fetch_add(slept_us, std::memory_order_relaxed);
}

}  // namespace ycsb
