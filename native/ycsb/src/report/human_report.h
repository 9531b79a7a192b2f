// Results for people who run the driver by hand.

#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "report/report.h"

namespace ycsb {

// A line at each interval, a table for each phase. What is not known prints as "?".
class HumanReport final : public Report {
 public:
  // REQUIRES: `out` outlives it.
  explicit HumanReport(std::ostream* out) : out_(out) {}

  void SayHello(const Hello& hello) override;
  void SayProgress(const Progress& progress) override;
  void SayEvents(const std::vector<Event>& events) override;
  void SayRateStep(const RateStep& step) override;
  void SayPhaseEnd(const PhaseResult& result) override;
  void SaySummary(const Summary& summary) override;

 private:
  void PrintOperations(const Tally& tally);

  std::ostream* out_;
};

// Three significant digits with a unit: "1.23 ms", "45.6 MiB".
std::string FormatTime(double seconds);
std::string FormatBytes(std::optional<uint64_t> bytes);

}  // namespace ycsb
