// Property files of YCSB-cpp's binding for RocksDB, and of the original's, mean here what they mean
// there.

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/error.h"
#include "binding.h"
#include "message.h"
#include "rocksdb/version.h"

namespace ycsb {
namespace {

struct Key {
  const char* line;
  const char* option;
  const char* value;
};

class RocksdbKey : public testing::TestWithParam<Key> {};

TEST_P(RocksdbKey, sets_its_option) {
  const BindingFile file("rocksdb", GetParam().line);
  EXPECT_TRUE(file.Read().binding_notes.empty());
  const auto options = file.Effective();
  EXPECT_NE(options.at(GetParam().option).find(GetParam().value), std::string::npos)
      << options.at(GetParam().option);
}

INSTANTIATE_TEST_SUITE_P(
    Rocksdb, RocksdbKey,
    testing::Values(
        Key{"rocksdb.compression=zlib", "compression", "kZlibCompression"},
        Key{"rocksdb.compression=no", "compression", "kNoCompression"},
        Key{"rocksdb.max_background_jobs=5", "max_background_jobs", "5"},
        Key{"rocksdb.target_file_size_base=33554432", "target_file_size_base", "33554432"},
        Key{"rocksdb.target_file_size_multiplier=3", "target_file_size_multiplier", "3"},
        Key{"rocksdb.max_bytes_for_level_base=134217728", "max_bytes_for_level_base", "134217728"},
        Key{"rocksdb.write_buffer_size=33554432", "write_buffer_size", "33554432"},
        Key{"rocksdb.max_write_buffer_number=7", "max_write_buffer_number", "7"},
        Key{"rocksdb.compaction_pri=2", "compaction_pri", "kOldestSmallestSeqFirst"},
        Key{"rocksdb.max_open_files=300", "max_open_files", "300"},
        Key{"rocksdb.max_open_files=-1", "max_open_files", "-1"},
        Key{"rocksdb.level0_file_num_compaction_trigger=6", "level0_file_num_compaction_trigger",
            "6"},
        Key{"rocksdb.level0_slowdown_writes_trigger=21", "level0_slowdown_writes_trigger", "21"},
        Key{"rocksdb.level0_stop_writes_trigger=37", "level0_stop_writes_trigger", "37"},
        Key{"rocksdb.use_direct_io_for_flush_compaction=true",
            "use_direct_io_for_flush_and_compaction", "true"},
        Key{"rocksdb.use_direct_reads=true", "use_direct_reads", "true"},
        Key{"rocksdb.allow_mmap_writes=true", "allow_mmap_writes", "true"},
        Key{"rocksdb.allow_mmap_reads=true", "allow_mmap_reads", "true"},
        Key{"rocksdb.bloom_bits=11", "filter_policy", "bloomfilter:11"},
        Key{"rocksdb.increase_parallelism=true", "max_background_jobs", "16"},
        Key{"rocksdb.optimize_level_style_compaction=true", "write_buffer_size", "134217728"}));

TEST(RocksdbBinding, takes_a_whole_file_of_ycsb_cpp_with_what_is_not_an_option) {
  const BindingFile file("rocksdb",
                         "rocksdb.dbname=/elsewhere\nrocksdb.format=single\nrocksdb.destroy=false\n"
                         "rocksdb.sync=false\nrocksdb.mergeupdate=false\nrocksdb.env_uri=\n"
                         "rocksdb.fs_uri=\nrocksdb.cache_size=8388608\nrocksdb.bloom_bits=0\n"
                         "rocksdb.compressed_cache_size=0\nrocksdb.increase_parallelism=false\n"
                         "rocksdb.optimize_level_style_compaction=false\n");
  const Settings settings = file.Read();
  EXPECT_FALSE(settings.open.sync);
  EXPECT_FALSE(settings.destroy);
  EXPECT_TRUE(settings.binding_notes.empty());
  EXPECT_EQ(settings.open.path, file.database());
  EXPECT_EQ(file.Effective().at("max_background_jobs"), "2");
}

TEST(RocksdbBinding, syncs_and_destroys_where_the_file_says_so) {
  const Settings settings =
      BindingFile("rocksdb", "rocksdb.sync=true\nrocksdb.destroy=true\n").Read();
  EXPECT_TRUE(settings.open.sync);
  EXPECT_TRUE(settings.destroy);
  EXPECT_FALSE(
      BindingFile("rocksdb", "rocksdb.sync=true\nlsmtune.sync=false\n").Read().open.sync);
}

TEST(RocksdbBinding, finds_the_folder_under_the_names_of_both_bindings) {
  for (const char* name : {"dbname", "dir"}) {
    const Settings settings = ReadCommandLine({"--engine", "rocksdb", "-p", "recordcount=1", "-p",
                                               "operationcount=1", "-p",
                                               std::string("rocksdb.") + name + "=/x/y"});
    EXPECT_EQ(settings.open.path, "/x/y");
    EXPECT_TRUE(settings.binding_notes.empty());
  }
}

TEST(RocksdbBinding, names_once_what_means_nothing_and_goes_on) {
  const BindingFile file("rocksdb",
                         "rocksdb.writ_buffer_size=7\nrocksdb.my_own=x\nrocksdb.bloom_bits=9\n");
  const Settings settings = file.Read();
  ASSERT_EQ(settings.binding_notes.size(), 1u);
  EXPECT_NE(settings.binding_notes[0].find("has no rocksdb.my_own, rocksdb.writ_buffer_size"),
            std::string::npos)
      << settings.binding_notes[0];
  EXPECT_EQ(settings.warnings, settings.binding_notes);
  EXPECT_NE(file.Effective().at("filter_policy").find("bloomfilter:9"), std::string::npos);
}

TEST(RocksdbBinding, has_a_cache_of_compressed_blocks_only_where_the_version_has_one) {
  const Settings settings =
      BindingFile("rocksdb", "rocksdb.compressed_cache_size=1048576\n").Read();
  EXPECT_EQ(settings.binding_notes.empty(), ROCKSDB_MAJOR < 8);
  EXPECT_EQ(settings.open.properties.count("compressed_cache_size") == 1, ROCKSDB_MAJOR < 8);
}

TEST(RocksdbBinding, reads_its_options_file_and_names_the_options_that_do_not_count_beside_it) {
  const TemporaryFolder folder;
  const std::string options = (folder.path() / "options.ini").string();
  std::ofstream(options) << "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n"
                            "[DBOptions]\n  max_background_jobs=4\n[CFOptions \"default\"]\n";
  const BindingFile file("rocksdb", "rocksdb.optionsfile=" + options +
                                        "\nrocksdb.max_background_jobs=9\nrocksdb.sync=true\n");
  const Settings settings = file.Read();
  EXPECT_TRUE(settings.open.sync);
  ASSERT_EQ(settings.binding_notes.size(), 1u);
  EXPECT_NE(settings.binding_notes[0].find("rocksdb.max_background_jobs do not count"),
            std::string::npos)
      << settings.binding_notes[0];
  EXPECT_EQ(file.Effective().at("max_background_jobs"), "4");
}

class RocksdbValue : public testing::TestWithParam<const char*> {};

TEST_P(RocksdbValue, that_cannot_be_meant_is_told_with_file_line_key_and_value) {
  const std::string line = GetParam();
  const BindingFile file("rocksdb", "# one\n" + line + "\n");
  const std::string message = MessageOf<UsageError>([&] { file.Read(); });
  const size_t mark = line.find('=');
  const std::string place = "\"" + line.substr(0, mark) + "\" is \"" + line.substr(mark + 1) +
                            "\" (" + file.path() + ":2)";
  EXPECT_NE(message.find(place), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Rocksdb, RocksdbValue,
    testing::Values("rocksdb.write_buffer_size=12abc", "rocksdb.write_buffer_size=-5",
                    "rocksdb.cache_size=much", "rocksdb.bloom_bits=-1",
                    "rocksdb.compression=brotli",
                    "rocksdb.compaction_pri=9", "rocksdb.max_open_files=-2", "rocksdb.sync=perhaps",
                    "rocksdb.destroy=2", "rocksdb.increase_parallelism=16",
                    "rocksdb.use_direct_reads=maybe", "rocksdb.format=row",
                    "rocksdb.mergeupdate=true", "rocksdb.fs_uri=posix://"));

}  // namespace
}  // namespace ycsb
