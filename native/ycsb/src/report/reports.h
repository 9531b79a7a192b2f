// Several reports as one.

#pragma once

#include <utility>
#include <vector>

#include "report/report.h"

namespace ycsb {

// Hands everything to each of its reports, in order. REQUIRES: they outlive it.
class Reports final : public Report {
 public:
  explicit Reports(std::vector<Report*> reports) : reports_(std::move(reports)) {}

  void Add(Report* report) { reports_.push_back(report); }

  void SayHello(const Hello& hello) override {
    for (Report* report : reports_) report->SayHello(hello);
  }
  void SayProgress(const Progress& progress) override {
    for (Report* report : reports_) report->SayProgress(progress);
  }
  void SayEvents(const std::vector<Event>& events) override {
    for (Report* report : reports_) report->SayEvents(events);
  }
  void SayRateStep(const RateStep& step) override {
    for (Report* report : reports_) report->SayRateStep(step);
  }
  void SayPhaseEnd(const PhaseResult& result) override {
    for (Report* report : reports_) report->SayPhaseEnd(result);
  }
  void SaySummary(const Summary& summary) override {
    for (Report* report : reports_) report->SaySummary(summary);
  }

 private:
  std::vector<Report*> reports_;
};

}  // namespace ycsb
