#include "workload/row.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "workload/values.h"

namespace ycsb {
namespace {

std::string KeyName(uint64_t number, bool hashed, size_t padding) {
  std::vector<char> room(KeyNameRoom(padding));
  return {room.data(), WriteKeyName(number, hashed, padding, room.data())};
}

RowShape SmallShape() {
  RowShape shape;
  shape.field_count = 3;
  shape.field_length = {Distribution::kConstant, 8, 8, nullptr};
  return shape;
}

TEST(KeyName, is_that_of_the_original_ycsb) {
  // The first keys of any hashed load.
  EXPECT_EQ(KeyName(0, true, 1), "user6284781860667377211");
  EXPECT_EQ(KeyName(1, true, 1), "user8517097267634966620");
  EXPECT_EQ(KeyName(2, true, 1), "user1820151046732198393");
}

TEST(KeyName, has_all_digits_of_numbers_of_any_size) {
  for (uint64_t number = 1; number < UINT64_MAX / 10; number *= 10) {
    for (const uint64_t near : {number - 1, number, number + 7, number * 9 + 5}) {
      EXPECT_EQ(KeyName(near, false, 1), "user" + std::to_string(near));
    }
  }
  EXPECT_EQ(KeyName(UINT64_MAX, false, 1), "user18446744073709551615");
}

TEST(KeyName, of_ordered_keys_is_padded_with_zeros) {
  EXPECT_EQ(KeyName(5, false, 1), "user5");
  EXPECT_EQ(KeyName(5, false, 8), "user00000005");
  EXPECT_EQ(KeyName(123456789, false, 8), "user123456789");
}

TEST(RowCodec, writes_names_and_values_after_their_lengths) {
  RowCodec codec(SmallShape());
  Random random(1);
  std::string row;
  codec.AppendRow(0, random, &row);
  EXPECT_EQ(row.size(), 3u * (4 + 6 + 4 + 8));
  EXPECT_EQ(row.substr(0, 4), std::string("\x06\0\0\0", 4));
  EXPECT_EQ(row.substr(4, 6), "field0");
  EXPECT_EQ(row.substr(10, 4), std::string("\x08\0\0\0", 4));
}

TEST(RowCodec, reads_back_what_it_wrote_whole_or_one_field) {
  RowCodec codec(SmallShape());
  Random random(1);
  std::string row;
  codec.AppendRow(0, random, &row);
  const auto* all = codec.Decode(row, kAllFields);
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(all->size(), 3u);
  const std::string last((*all)[2]);
  const auto* one = codec.Decode(row, 2);
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(*one, std::vector<std::string_view>{last});
}

TEST(RowCodec, replaces_one_field_and_leaves_the_others) {
  RowCodec codec(SmallShape());
  Random random(1);
  std::string row;
  codec.AppendRow(0, random, &row);
  std::string changed;
  ASSERT_TRUE(codec.Replace(row, 1, "other length", &changed));
  const std::vector<std::string_view> before = *codec.Decode(row, kAllFields);
  const std::vector<std::string_view> after = *codec.Decode(changed, kAllFields);
  EXPECT_EQ(after[0], before[0]);
  EXPECT_EQ(after[1], "other length");
  EXPECT_EQ(after[2], before[2]);
}

TEST(RowCodec, sees_rows_that_were_cut_or_lack_a_field) {
  RowCodec codec(SmallShape());
  Random random(1);
  std::string row;
  codec.AppendRow(0, random, &row);
  std::string changed;
  for (const size_t length : {row.size() - 1, size_t{30}, size_t{3}, size_t{22}, size_t{0}}) {
    EXPECT_EQ(codec.Decode(row.substr(0, length), kAllFields), nullptr) << length;
    EXPECT_FALSE(codec.Replace(row.substr(0, length), 2, "x", &changed)) << length;
  }
}

TEST(RowCodec, reads_rows_of_the_usual_size_whose_fields_have_other_lengths) {
  RowCodec codec(SmallShape());
  Random random(1);
  std::string row;
  codec.AppendRow(0, random, &row);
  std::string shorter;
  std::string changed;
  ASSERT_TRUE(codec.Replace(row, 0, "12345", &shorter));
  ASSERT_TRUE(codec.Replace(shorter, 2, "12345678901", &changed));
  ASSERT_EQ(changed.size(), row.size());
  const auto* values = codec.Decode(changed, kAllFields);
  ASSERT_NE(values, nullptr);
  EXPECT_EQ((*values)[0], "12345");
  EXPECT_EQ((*values)[1].size(), 8u);
  EXPECT_EQ((*values)[2], "12345678901");
}

TEST(RowCodec, of_varying_lengths_takes_an_empty_row_for_malformed) {
  RowShape shape = SmallShape();
  shape.field_length = {Distribution::kUniform, 3, 6, nullptr};
  RowCodec codec(shape);
  EXPECT_EQ(codec.Decode("", kAllFields), nullptr);
}

TEST(RowCodec, verifies_rows_whose_values_follow_from_the_key) {
  RowShape shape = SmallShape();
  shape.verifiable = true;
  RowCodec codec(shape);
  Random random(1);
  std::string row;
  codec.AppendRow(17, random, &row);
  const std::vector<std::string_view> values = *codec.Decode(row, kAllFields);
  EXPECT_TRUE(codec.Verify(17, kAllFields, values));
  EXPECT_FALSE(codec.Verify(18, kAllFields, values));
  EXPECT_TRUE(codec.Verify(17, 2, {values[2]}));
  EXPECT_FALSE(codec.Verify(17, 1, {values[2]}));
}

TEST(RowCodec, draws_field_lengths_between_their_bounds) {
  RowShape shape = SmallShape();
  shape.field_length = {Distribution::kUniform, 3, 6, nullptr};
  RowCodec codec(shape);
  Random random(4);
  std::vector<int> seen(10);
  for (int i = 0; i < 1000; ++i) {
    std::string value;
    codec.AppendValue(0, 0, random, &value);
    ++seen.at(value.size());
  }
  EXPECT_EQ(seen[2] + seen[7], 0);
  for (const size_t length : {3u, 4u, 5u, 6u}) EXPECT_NEAR(seen[length], 250, 75) << length;
}

TEST(ValueFiller, makes_printable_bytes_of_the_entropy_of_ycsbs) {
  const ValueFiller filler(std::nullopt, 100);
  Random random(1);
  std::string value;
  filler.Append(300000, random, &value);
  std::vector<double> counts(256);
  for (const char byte : value) ++counts[static_cast<unsigned char>(byte)];
  double bits = 0.0;
  for (const double count : counts) {
    if (count > 0) bits -= count / 300000 * std::log2(count / 300000);
  }
  // Each third is uniform over the bits of 31, 63 and 95: the entropy of their mixture, worked out
  // by hand.
  EXPECT_NEAR(bits, 6.2516, 0.01);
  for (const char byte : value) ASSERT_GE(byte, ' ');
}

TEST(ValueFiller, repeats_the_given_share_in_every_fragment) {
  const ValueFiller filler(0.25, 1000);
  Random random(1);
  std::string value;
  filler.Append(1000, random, &value);
  for (size_t fragment = 0; fragment < 10; ++fragment) {
    const std::string piece = value.substr(fragment * 100, 100);
    EXPECT_EQ(piece.substr(0, 75), piece.substr(25));
  }
  EXPECT_NE(value.substr(0, 100), value.substr(100, 100));
}

TEST(ValueFiller, makes_fresh_bytes_each_time_whatever_the_length) {
  const ValueFiller filler(1.0, 13);
  Random random(1);
  std::string value = "kept";
  for (size_t length = 0; length < 40; ++length) filler.Append(length, random, &value);
  EXPECT_EQ(value.size(), 4u + 39 * 40 / 2);
  EXPECT_EQ(value.substr(0, 4), "kept");
  EXPECT_NE(value.substr(value.size() - 39), value.substr(value.size() - 78, 39));
}

}  // namespace
}  // namespace ycsb
