// Results as JSON lines.

#pragma once

#include <cstdint>
#include <iosfwd>

#include "report/report.h"

namespace ycsb {

// One JSON object a line, each with "type" and "t_s", seconds since the report was made. README.md
// describes the fields. Base units: s and B. What is not known is null.
class JsonReport final : public Report {
 public:
  // History of the format, as "format" in the first line:
  //   1  first version
  static constexpr int kFormat = 1;

  // REQUIRES: `out` outlives it. Every line is flushed; throws Failure where that fails.
  explicit JsonReport(std::ostream* out);

  void SayHello(const Hello& hello) override;
  void SayProgress(const Progress& progress) override;
  void SayEvents(const std::vector<Event>& events) override;
  void SayRateStep(const RateStep& step) override;
  void SayPhaseEnd(const PhaseResult& result) override;
  void SaySummary(const Summary& summary) override;

 private:
  std::ostream* out_;
  int64_t start_ns_;
};

}  // namespace ycsb
