#include "base/folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/error.h"
#include "file_size_limit.h"

namespace ycsb {
namespace {

namespace fs = std::filesystem;

void WriteFile(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

// A folder that looks like a database.
class CloneDatabaseTest : public testing::Test {
 protected:
  CloneDatabaseTest() : origin_(folder_.path() / "origin"), copy_(folder_.path() / "copy") {
    fs::create_directory(origin_);
    for (const char* name : {"CURRENT", "MANIFEST-000004", "000003.log", "000002.sst",
                             "000001.blob", "LOCK", "LOG", "LOG.old.17", "OPTIONS-000005"}) {
      WriteFile(origin_ / name, name);
    }
  }

  CloneResult Clone(const fs::path& to) { return CloneDatabase(origin_, to, {".sst", ".blob"}); }

  TemporaryFolder folder_;
  fs::path origin_;
  fs::path copy_;
};

TEST_F(CloneDatabaseTest, links_what_never_changes_and_copies_what_does) {
  const CloneResult result = Clone(copy_);
  EXPECT_EQ(result.linked_files, 2u);
  EXPECT_EQ(result.linked_bytes, 21u);
  EXPECT_EQ(result.copied_files, 4u);
  for (const char* name : {"000002.sst", "000001.blob"}) {
    EXPECT_TRUE(fs::equivalent(origin_ / name, copy_ / name)) << name;
  }
  for (const char* name : {"CURRENT", "MANIFEST-000004", "000003.log", "OPTIONS-000005"}) {
    EXPECT_TRUE(fs::exists(copy_ / name)) << name;
    EXPECT_FALSE(fs::equivalent(origin_ / name, copy_ / name)) << name;
  }
  for (const char* name : {"LOCK", "LOG", "LOG.old.17"}) {
    EXPECT_FALSE(fs::exists(copy_ / name)) << name;
  }
}

TEST_F(CloneDatabaseTest, takes_no_folder_within_the_origin) {
  EXPECT_THROW(Clone(origin_), UsageError);
  EXPECT_THROW(Clone(origin_ / "copy"), UsageError);
  EXPECT_THROW(Clone(origin_ / ".." / "origin" / "below" / "copy"), UsageError);
  EXPECT_NO_THROW(Clone(folder_.path() / "origin2"));
}

TEST_F(CloneDatabaseTest, leaves_no_half_of_a_copy_where_the_disk_is_full) {
  WriteFile(origin_ / "000009.log", std::string(200000, 'x'));
  {
    const FileSizeLimit limit(100000);
    EXPECT_THROW(Clone(copy_), Failure);
  }
  EXPECT_TRUE(fs::is_empty(copy_));
  EXPECT_EQ(fs::file_size(origin_ / "000002.sst"), 10u);
  EXPECT_NO_THROW(Clone(copy_));
}

TEST_F(CloneDatabaseTest, does_not_touch_files_that_were_in_the_way) {
  fs::create_directory(copy_);
  WriteFile(copy_ / "mine", "kept");
  EXPECT_THROW(Clone(copy_), UsageError);
  EXPECT_TRUE(fs::exists(copy_ / "mine"));
}

TEST(MeasureFolder, adds_up_files_by_kind_and_takes_a_missing_folder_for_empty) {
  const TemporaryFolder folder;
  WriteFile(folder.path() / "000001.ldb", "12345");
  WriteFile(folder.path() / "000002.log", "123");
  WriteFile(folder.path() / "LOG", "1234567");
  const FolderSpace space = MeasureFolder(folder.path());
  EXPECT_EQ(space.table_bytes, 5u);
  EXPECT_EQ(space.data_bytes(), 8u);
  EXPECT_EQ(space.other_bytes, 7u);
  EXPECT_EQ(MeasureFolder(folder.path() / "nothing").data_bytes(), 0u);
}

}  // namespace
}  // namespace ycsb
