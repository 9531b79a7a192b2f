#include "workload/spec.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/folder.h"

namespace ycsb {
namespace {

Properties Given(const std::vector<std::string>& assignments) {
  Properties properties;
  properties.LoadAssignment("recordcount=1000", "-p");
  for (const std::string& assignment : assignments) properties.LoadAssignment(assignment, "-p");
  return properties;
}

double Share(const WorkloadSpec& spec, OperationType type) {
  return spec.proportions[static_cast<size_t>(type)];
}

TEST(WorkloadSpec, has_the_defaults_of_ycsb) {
  const WorkloadSpec spec = ReadWorkload(Given({}));
  EXPECT_EQ(spec.insert_count, 1000u);
  EXPECT_EQ(spec.row.field_count, 10u);
  EXPECT_EQ(spec.row.field_length.max, 100u);
  EXPECT_DOUBLE_EQ(Share(spec, OperationType::kRead), 0.95);
  EXPECT_DOUBLE_EQ(Share(spec, OperationType::kUpdate), 0.05);
  EXPECT_EQ(spec.keys.requests, Requests::kUniform);
  EXPECT_DOUBLE_EQ(spec.keys.zipfian_constant, 0.99);
  EXPECT_EQ(spec.scan_length.max, 1000u);
  EXPECT_TRUE(spec.hashed_keys);
  EXPECT_TRUE(spec.read_all_fields);
  EXPECT_FALSE(spec.write_all_fields);
  EXPECT_EQ(spec.pace.threads, 1u);
  EXPECT_EQ(spec.pace.target_ops_s, 0.0);
}

TEST(WorkloadSpec, reads_the_six_core_workloads) {
  const std::vector<std::pair<std::string, OperationType>> main = {
      {"a", OperationType::kUpdate}, {"b", OperationType::kUpdate},
      {"c", OperationType::kRead},   {"d", OperationType::kInsert},
      {"e", OperationType::kScan},   {"f", OperationType::kReadModifyWrite}};
  const std::vector<double> shares = {0.5, 0.05, 1.0, 0.05, 0.95, 0.5};
  for (size_t i = 0; i < main.size(); ++i) {
    Properties properties;
    properties.LoadFile(std::string(YCSB_WORKLOADS) + "/workload" + main[i].first);
    const WorkloadSpec spec = ReadWorkload(properties);
    EXPECT_DOUBLE_EQ(Share(spec, main[i].second), shares[i]) << main[i].first;
    EXPECT_TRUE(spec.warnings.empty()) << main[i].first;
    EXPECT_EQ(spec.keys.requests, main[i].first == "d" ? Requests::kLatest : Requests::kZipfian);
    EXPECT_TRUE(properties.Unasked().empty()) << main[i].first;
  }
}

TEST(WorkloadSpec, divides_proportions_by_their_sum_and_says_so) {
  const WorkloadSpec spec = ReadWorkload(Given({"readproportion=3", "updateproportion=1"}));
  EXPECT_DOUBLE_EQ(Share(spec, OperationType::kRead), 0.75);
  EXPECT_EQ(spec.warnings.size(), 1u);
}

TEST(WorkloadSpec, rejects_what_cannot_be) {
  const std::vector<std::vector<std::string>> bad = {
      {"readproportion=0", "updateproportion=0"},
      {"readproportion=-1"},
      {"recordcount=0"},
      {"insertstart=1000"},
      {"insertstart=500", "insertcount=501"},
      {"requestdistribution=normal"},
      {"minscanlength=10", "maxscanlength=5"},
      {"fieldlengthdistribution=uniform", "minfieldlength=200"},
      {"fieldlengthdistribution=histogram"},
      {"fieldcount=1000000", "fieldlength=1000000"},
      {"dataintegrity=true", "fieldlengthdistribution=uniform"},
      {"workload=site.ycsb.workloads.TimeSeriesWorkload"},
      {"lsmtune.value_compressibility=1.5"},
      {"zipfian_const=1"},
      {"threadcount=0"},
      {"hotspotdatafraction=2"},
      {"exponential.percentile=100"},
      {"target=-5"},
      {"target=1e-300"},
      {"limit.ops=1e-9"},
      {"recordcount=18446744073709551615"},
      {"operationcount=18446744073709551615"},
      {"exponential.frac=1e9"}};
  for (const auto& assignments : bad) {
    EXPECT_THROW(ReadWorkload(Given(assignments)), UsageError) << assignments.front();
  }
  EXPECT_THROW(ReadWorkload(Properties()), UsageError);
}

TEST(WorkloadSpec, takes_ycsb_cpps_name_for_the_field_length_distribution) {
  const WorkloadSpec spec = ReadWorkload(Given({"field_len_dist=zipfian"}));
  EXPECT_EQ(spec.row.field_length.distribution, Distribution::kZipfian);
  EXPECT_EQ(spec.row.field_length.min, 1u);
}

TEST(WorkloadSpec, reads_a_histogram_of_field_lengths) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "hist.txt").string();
  std::ofstream(file) << "BlockSize\t50\n0\t1\n1\t2\n2\t1\n";
  const WorkloadSpec spec =
      ReadWorkload(Given({"fieldlengthdistribution=histogram", "fieldlengthhistogram=" + file}));
  EXPECT_EQ(spec.row.field_length.min, 50u);
  EXPECT_EQ(spec.row.field_length.max, 100u);
  EXPECT_EQ(spec.row.field_length.histogram->total(), 4u);
  EXPECT_THROW(ReadWorkload(Given({"fieldlengthdistribution=histogram", "dataintegrity=true",
                                   "fieldlengthhistogram=" + file})),
               UsageError);
  EXPECT_NO_THROW(ReadWorkload(Given({"fieldlengthhistogram=/nonexistent"})));
}

TEST(WorkloadSpec, takes_ycsb_cpps_name_for_the_target_rate) {
  EXPECT_EQ(ReadWorkload(Given({"limit.ops=500"})).pace.target_ops_s, 500.0);
  EXPECT_EQ(ReadWorkload(Given({"limit.ops=500", "target=700"})).pace.target_ops_s, 700.0);
  EXPECT_THROW(ReadWorkload(Given({"limit.file=rates"})), UsageError);
}

TEST(WorkloadSpec, knows_which_operations_come) {
  const WorkloadSpec spec = ReadWorkload(Given({"scanproportion=0.1"}));
  EXPECT_EQ(spec.Operations(/*loading=*/true).count(), 1u);
  EXPECT_EQ(spec.Operations(/*loading=*/false).count(), 3u);
}

TEST(WorkloadSpec, lists_given_properties_that_mean_nothing_here) {
  const Properties properties =
      Given({"measurementtype=hdrhistogram", "hdrhistogram.percentiles=99"});
  EXPECT_EQ(AskIgnored(properties),
            (std::vector<std::string>{"measurementtype", "hdrhistogram.percentiles"}));
}

}  // namespace
}  // namespace ycsb
