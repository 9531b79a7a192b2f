#include "workload/properties.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/folder.h"
#include "message.h"

namespace ycsb {
namespace {

Properties Load(const std::string& text) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "file.properties").string();
  std::ofstream(path) << text;
  Properties properties;
  properties.LoadFile(path);
  return properties;
}

TEST(Properties, reads_names_and_values_and_passes_over_comments_and_blanks) {
  const Properties properties =
      Load("# comment\n! comment\n\n  recordcount = 1000 \r\nname: a=b\nempty=\n");
  EXPECT_EQ(properties.Count("recordcount", 0), 1000u);
  EXPECT_EQ(properties.Text("name", ""), "a=b");
  EXPECT_EQ(properties.Text("empty", "x"), "");
}

TEST(Properties, joins_lines_that_end_with_a_backslash) {
  const Properties properties = Load(
      "one=a,\\\r\n   b,\\\n\t# c\ntwo=kept\\\\\n# no comment \\\nthree=3\nfour=4\\");
  EXPECT_EQ(properties.Text("one", ""), "a,b,# c");
  EXPECT_EQ(properties.Text("two", ""), "kept\\\\");
  EXPECT_EQ(properties.Text("three", ""), "3");
  EXPECT_EQ(properties.Text("four", ""), "4");
}

TEST(Properties, later_values_win) {
  Properties properties = Load("threadcount=1\nthreadcount=2\n");
  EXPECT_EQ(properties.Count("threadcount", 0), 2u);
  properties.LoadAssignment("threadcount=3", "-p");
  EXPECT_EQ(properties.Count("threadcount", 0), 3u);
}

TEST(Properties, says_where_a_value_that_is_no_number_came_from) {
  const Properties properties = Load("a=1\nrecordcount=many\n");
  const std::string message = MessageOf<UsageError>([&] { properties.Count("recordcount", 0); });
  EXPECT_NE(message.find("\"recordcount\" is \"many\""), std::string::npos) << message;
  EXPECT_NE(message.find("file.properties:2"), std::string::npos) << message;
}

TEST(Properties, rejects_numbers_with_signs_rests_or_out_of_range) {
  const Properties properties = Load("a=-1\nb=10x\nc=1e3\nd=0.5\ne=nan\nf=99999999999999999999\n");
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    EXPECT_THROW(properties.Count(name, 0), UsageError) << name;
  }
  EXPECT_THROW(properties.Number("e", 0.0, 0.0, 1.0), UsageError);
  EXPECT_THROW(properties.Number("c", 0.0, 0.0, 1.0), UsageError);
  EXPECT_EQ(properties.Number("c", 0.0, 0.0, 1000.0), 1000.0);
}

TEST(Properties, reads_flags_and_choices) {
  const Properties properties = Load("yes=true\nno=0\nmaybe=perhaps\norder=ordered\n");
  EXPECT_TRUE(properties.Flag("yes", false));
  EXPECT_FALSE(properties.Flag("no", true));
  EXPECT_TRUE(properties.Flag("absent", true));
  EXPECT_THROW(properties.Flag("maybe", true), UsageError);
  EXPECT_EQ(properties.Choice("order", {"hashed", "ordered"}), "ordered");
  EXPECT_EQ(properties.Choice("absent", {"hashed", "ordered"}), "hashed");
  EXPECT_THROW(properties.Choice("maybe", {"hashed", "ordered"}), UsageError);
}

TEST(Properties, knows_what_nobody_asked_for) {
  const Properties properties = Load("asked=1\nrocksdb.x=1\nforgotten=1\n");
  properties.Count("asked", 0);
  EXPECT_EQ(properties.WithPrefix("rocksdb.").at("x"), "1");
  EXPECT_EQ(properties.Unasked(), std::vector<std::string>{"forgotten"});
}

TEST(Properties, rejects_lines_without_a_name_and_files_that_are_not_there) {
  EXPECT_THROW(Load("just words\n"), UsageError);
  EXPECT_THROW(Load("=5\n"), UsageError);
  Properties properties;
  EXPECT_THROW(properties.LoadFile("/nonexistent/file"), UsageError);
  EXPECT_THROW(properties.LoadFile("/tmp"), UsageError);
}

}  // namespace
}  // namespace ycsb
