#include "leveldb_log.h"

#include <cinttypes>
#include <cstdio>
#include <utility>

namespace ycsb {
namespace {

bool Begins(const std::string& line, const char* start) { return line.rfind(start, 0) == 0; }

double Elapsed(int64_t start_ns, int64_t now_ns) {
  return start_ns == 0 ? 0.0 : ToSeconds(now_ns - start_ns);
}

}  // namespace

void LeveldbLog::Read(const std::string& line, int64_t now_ns) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (ReadFlush(line, now_ns) || ReadCompaction(line, now_ns) || ReadMove(line) ||
      ReadWait(line, now_ns)) {
    return;
  }
  // Of a flush whose record in the MANIFEST fails LevelDB says the second alone.
  if (Begins(line, "Compaction error: ") || Begins(line, "MANIFEST write: ")) PutError(line);
}

bool LeveldbLog::ReadFlush(const std::string& line, int64_t now_ns) {
  uint64_t table = 0;
  uint64_t bytes = 0;
  if (std::sscanf(line.c_str(), "Level-0 table #%" SCNu64, &table) != 1) return false;
  if (line.find(": started") != std::string::npos) {
    flush_start_ns_ = now_ns;
    flush_number_ = table;
    return true;
  }
  if (std::sscanf(line.c_str(), "Level-0 table #%" SCNu64 ": %" SCNu64 " bytes", &table, &bytes) !=
      2) {
    return true;
  }
  // Of a flush that failed LevelDB says nothing else.
  if (line.find(" bytes OK") == std::string::npos) {
    PutError(line);
    return true;
  }
  Event event;
  event.type = "flush";
  event.fields = {
      {"job", table}, {"bytes", bytes}, {"elapsed_s", Elapsed(flush_start_ns_, now_ns)}};
  Put(std::move(event));
  return true;
}

bool LeveldbLog::ReadCompaction(const std::string& line, int64_t now_ns) {
  if (Begins(line, "Compacting ")) {
    compaction_start_ns_ = now_ns;
    return true;
  }
  uint64_t files = 0;
  uint64_t level = 0;
  uint64_t next_files = 0;
  uint64_t next_level = 0;
  uint64_t bytes = 0;
  if (std::sscanf(line.c_str(),
                  "Compacted %" SCNu64 "@%" SCNu64 " + %" SCNu64 "@%" SCNu64 " files => %" SCNu64,
                  &files, &level, &next_files, &next_level, &bytes) != 5) {
    return false;
  }
  Event event;
  event.type = "compaction";
  event.fields = {{"input_level", level},
                  {"output_level", next_level},
                  {"input_files", files + next_files},
                  {"output_bytes", bytes},
                  {"moved", false},
                  {"elapsed_s", Elapsed(compaction_start_ns_, now_ns)}};
  Put(std::move(event));
  return true;
}

bool LeveldbLog::ReadMove(const std::string& line) {
  uint64_t file = 0;
  uint64_t level = 0;
  uint64_t bytes = 0;
  if (std::sscanf(line.c_str(), "Moved #%" SCNu64 " to level-%" SCNu64 " %" SCNu64 " bytes", &file,
                  &level, &bytes) != 3) {
    return false;
  }
  Event event;
  event.type = "compaction";
  event.fields = {{"input_level", level > 0 ? level - 1 : 0},
                  {"output_level", level},
                  {"input_files", uint64_t{1}},
                  {"output_bytes", uint64_t{0}},
                  {"moved", true},
                  {"moved_bytes", bytes}};
  Put(std::move(event));
  return true;
}

bool LeveldbLog::ReadWait(const std::string& line, int64_t now_ns) {
  const bool memtable = Begins(line, "Current memtable full; waiting");
  const bool level0 = Begins(line, "Too many L0 files; waiting");
  if (!memtable && !level0) return false;
  if (!count_waits_) return true;
  ++(memtable ? sums_.memtable_waits : sums_.level0_waits);
  if (!wait_start_ns_) wait_start_ns_ = now_ns;  // woken up, and still no room
  Event event;
  event.type = "stall";
  event.fields = {{"to", std::string("stopped")},
                  {"cause", std::string(memtable ? "memtable full" : "level-0 files")}};
  Put(std::move(event));
  return true;
}

void LeveldbLog::EndWait(int64_t now_ns) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!wait_start_ns_) return;
  const int64_t waited_ns = now_ns - *wait_start_ns_;
  wait_start_ns_.reset();
  sums_.wait_us += static_cast<uint64_t>(waited_ns / 1000);
  Event event;
  event.type = "stall";
  event.fields = {{"to", std::string("normal")}, {"elapsed_s", ToSeconds(waited_ns)}};
  Put(std::move(event));
}

void LeveldbLog::PutError(const std::string& message) {
  if (sums_.error.empty()) sums_.error = message;
  Event event;
  event.type = "background_error";
  event.fields = {{"message", message}};
  Put(std::move(event));
}

void LeveldbLog::Put(Event event) {
  if (events_ != nullptr) events_->Put(std::move(event));
}

void LeveldbLog::CountWaits(bool count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  count_waits_ = count;
}

bool LeveldbLog::IsFlush(uint64_t number) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return flush_number_ == number;
}

LeveldbLogSums LeveldbLog::Sums() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return sums_;
}

}  // namespace ycsb
