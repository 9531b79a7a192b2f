// Property files of YCSB-cpp's binding for LevelDB mean here what they mean there.

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "binding.h"
#include "message.h"

namespace ycsb {
namespace {

struct Key {
  const char* line;
  const char* option;
  const char* value;
};

class LeveldbKey : public testing::TestWithParam<Key> {};

TEST_P(LeveldbKey, sets_its_option) {
  const BindingFile file("leveldb", GetParam().line);
  EXPECT_TRUE(file.Read().binding_notes.empty());
  EXPECT_EQ(file.Effective().at(GetParam().option), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Leveldb, LeveldbKey,
    testing::Values(Key{"leveldb.write_buffer_size=33554432", "write_buffer_size", "33554432"},
                    Key{"leveldb.max_file_size=8388608", "max_file_size", "8388608"},
                    Key{"leveldb.max_open_files=700", "max_open_files", "700"},
                    Key{"leveldb.compression=no", "compression", "no"},
                    Key{"leveldb.compression=snappy", "compression", "snappy"},
                    Key{"leveldb.cache_size=1048576", "cache_size", "1048576"},
                    Key{"leveldb.cache_size=0", "cache_size", "8388608"},
                    Key{"leveldb.filter_bits=10", "filter_bits", "10"},
                    Key{"leveldb.block_size=8192", "block_size", "8192"},
                    Key{"leveldb.block_restart_interval=8", "block_restart_interval", "8"}));

TEST(LeveldbBinding, takes_what_is_not_an_option_and_names_once_what_means_nothing) {
  const Settings settings =
      BindingFile("leveldb",
                  "leveldb.dbname=/elsewhere\nleveldb.format=single\nleveldb.destroy=true\n"
                  "leveldb.sync=true\nleveldb.bloom_bits=10\nleveldb.my_own=1\n")
          .Read();
  EXPECT_TRUE(settings.destroy);
  EXPECT_TRUE(settings.open.sync);
  ASSERT_EQ(settings.binding_notes.size(), 1u);
  EXPECT_NE(settings.binding_notes[0].find("has no leveldb.bloom_bits, leveldb.my_own"),
            std::string::npos)
      << settings.binding_notes[0];
}

TEST(LeveldbBinding, tells_a_value_that_cannot_be_meant_with_its_file_and_line) {
  for (const std::string line :
       {"leveldb.block_size=4 apples", "leveldb.cache_size=-1", "leveldb.compression=zstd"}) {
    const BindingFile file("leveldb", "\n" + line + "\n");
    const std::string message = MessageOf<UsageError>([&] { file.Read(); });
    EXPECT_NE(message.find(file.path() + ":2"), std::string::npos) << message;
    EXPECT_NE(message.find(line.substr(0, line.find('='))), std::string::npos) << message;
  }
}

TEST(LeveldbBinding, refuses_rows_in_pieces_with_what_to_do) {
  for (const std::string format : {"row", "column"}) {
    const BindingFile file("leveldb", "leveldb.format=" + format + "\n");
    const std::string message = MessageOf<UsageError>([&] { file.Read(); });
    EXPECT_NE(message.find("\"leveldb.format\" is \"" + format + "\""), std::string::npos);
    EXPECT_NE(message.find("write single"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace ycsb
