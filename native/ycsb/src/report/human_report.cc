#include "report/human_report.h"

#include <array>
#include <cstdio>
#include <ostream>

#include "base/clock.h"
#include "results/amplification.h"
#include "version.h"

namespace ycsb {
namespace {

// printf into a string; lines of a report are short.
template <typename... Values>
std::string Format(const char* format, Values... values) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

std::string FormatRatio(std::optional<double> ratio) {
  return ratio ? Format("%.2f", *ratio) : "?";
}

std::string FormatPercent(std::optional<double> ratio) {
  return ratio ? Format("%.1f %%", 100.0 * *ratio) : "?";
}

std::string FormatRate(uint64_t operations, double elapsed_s) {
  if (elapsed_s <= 0.0) return "?";
  return Format("%.0f ops/s", static_cast<double>(operations) / elapsed_s);
}

std::string LevelFiles(const TreeState& tree) {
  std::string text;
  for (const Level& level : tree.levels) {
    text += (text.empty() ? "" : "/") + std::to_string(level.files);
  }
  return text.empty() ? "?" : text;
}

std::string FormatNs(uint64_t ns) { return FormatTime(ToSeconds(static_cast<int64_t>(ns))); }

}  // namespace

std::string FormatTime(double seconds) {
  // A unit ends where %.3g would round up to 1e+03.
  if (seconds < 999.5e-9) return Format("%.0f ns", seconds * 1e9);
  if (seconds < 999.5e-6) return Format("%.3g us", seconds * 1e6);
  if (seconds < 999.5e-3) return Format("%.3g ms", seconds * 1e3);
  return Format(seconds < 999.5 ? "%.3g s" : "%.0f s", seconds);
}

std::string FormatBytes(std::optional<uint64_t> bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  if (!bytes) return "?";
  auto value = static_cast<double>(*bytes);
  size_t unit = 0;
  while (value >= 1023.5 && unit + 1 < kUnits.size()) {
    value /= 1024.0;
    ++unit;
  }
  return Format(unit == 0 || value >= 99.95 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
}

void HumanReport::SayHello(const Hello& hello) {
  std::string compressors;
  for (const std::string& name : hello.engine.compressors) compressors += " " + name;
  *out_ << "ycsb " << kVersion << ", " << hello.engine.name << " " << hello.engine.version
        << (hello.engine.assertions.value_or(false) ? " (ASSERTIONS ON: slow)" : "") << ", "
        << hello.database << "\n"
        << "compressors:" << compressors << "\n";
  for (const std::string& warning : hello.warnings) *out_ << "warning: " << warning << "\n";
  if (hello.clone) {
    *out_ << "cloned in " << FormatTime(hello.clone_s) << ": " << hello.clone->linked_files
          << " files linked, " << hello.clone->copied_files << " copied\n";
  }
  *out_ << std::flush;
}

void HumanReport::SayProgress(const Progress& progress) {
  *out_ << Format("%-8s %6.1f s%s  %10llu ops  %12s  levels %s  pending %s",
                  progress.phase.spec.label.c_str(), progress.elapsed_s,
                  progress.warmup ? " (warm-up)" : "",
                  static_cast<unsigned long long>(progress.operations),
                  FormatRate(progress.interval.Operations(), progress.interval_s).c_str(),
                  LevelFiles(progress.state.tree).c_str(),
                  FormatBytes(progress.state.tree.pending_compaction_bytes).c_str())
        << std::endl;
}

void HumanReport::SayEvents(const std::vector<Event>& /*events*/) {}

void HumanReport::PrintOperations(const Tally& tally) {
  *out_ << Format("  %-18s %10s %9s %9s %9s %9s %9s %9s\n", "latency", "count", "mean", "p50",
                  "p95", "p99", "p99.9", "max");
  for (const OperationType type : kAllOperations) {
    for (const bool intended : {false, true}) {
      const OperationTally& of = tally.Of(type);
      const Histogram& histogram = intended ? of.intended : of.service;
      if (histogram.count() == 0) continue;
      *out_ << Format(
          "  %-18s %10llu %9s %9s %9s %9s %9s %9s\n", intended ? "  from schedule" : Name(type),
          static_cast<unsigned long long>(histogram.count()),
          FormatTime(histogram.Mean() * 1e-9).c_str(), FormatNs(histogram.At(0.50)).c_str(),
          FormatNs(histogram.At(0.95)).c_str(), FormatNs(histogram.At(0.99)).c_str(),
          FormatNs(histogram.At(0.999)).c_str(), FormatNs(histogram.max()).c_str());
    }
    if (tally.Of(type).not_found > 0) {
      *out_ << "    not found: " << tally.Of(type).not_found << "\n";
    }
    if (tally.Of(type).corrupt > 0) *out_ << "    CORRUPT: " << tally.Of(type).corrupt << "\n";
  }
}

void HumanReport::SayRateStep(const RateStep& step) {
  std::string reasons;
  for (const std::string& reason : step.reasons) reasons += (reasons.empty() ? "" : ", ") + reason;
  *out_ << (step.number == 0 ? "  closed loop:" : Format("  %.0f ops/s:", step.rate_ops_s))
        << " done " << FormatRate(step.operations, step.hold_s) << ", p99 "
        << FormatNs(step.latency.At(0.99)) << ", p99.9 " << FormatNs(step.latency.At(0.999));
  if (step.number > 0) *out_ << (step.borne ? ", borne" : ", not borne: " + reasons);
  *out_ << std::endl;
}

void HumanReport::SayPhaseEnd(const PhaseResult& result) {
  const Counters counters = Difference(result.after.counters, result.before);
  const uint64_t operations = result.tally.Operations();
  *out_ << result.phase.spec.label << " (" << Name(result.phase.spec.kind)
        << "): " << FormatTime(result.elapsed_s) << ", " << Name(result.ending);
  if (result.reopen_s) *out_ << ", reopened in " << FormatTime(*result.reopen_s) << " before";
  if (result.max_rate) {
    const MaxRate& found = *result.max_rate;
    *out_ << Format(", largest rate with p%g below ", found.spec.percentile)
          << FormatTime(found.spec.limit_s) << ": "
          << (found.rate_ops_s > 0.0 ? Format("%.0f ops/s", found.rate_ops_s) : "none was borne")
          << "\n";
  } else if (operations > 0) {
    *out_ << ", " << operations << " operations, " << FormatRate(operations, result.elapsed_s)
          << "\n";
    PrintOperations(result.tally);
  } else {
    *out_ << "\n";
  }
  *out_ << "  write amplification "
        << FormatRatio(WriteAmplification(counters, result.tally.written_bytes, false))
        << ", with WAL "
        << FormatRatio(WriteAmplification(counters, result.tally.written_bytes, true))
        << "; cache hits " << FormatPercent(CacheHitRatio(counters)) << "; space "
        << FormatBytes(result.space.data_bytes()) << "; levels " << LevelFiles(result.after.tree)
        << "\n  debt: pending " << FormatBytes(result.after.tree.pending_compaction_bytes)
        << ", memtables " << FormatBytes(result.after.tree.memtable_bytes) << std::endl;
}

void HumanReport::SaySummary(const Summary& summary) {
  const Counters& counters = summary.counters;
  *out_ << (summary.interrupted ? "INTERRUPTED after " : "done in ")
        << FormatTime(summary.elapsed_s) << ": " << summary.operations << " operations, written "
        << FormatBytes(summary.user_written_bytes) << ", write amplification "
        << FormatRatio(WriteAmplification(counters, summary.user_written_bytes, false))
        << ", space " << FormatBytes(summary.space.data_bytes()) << " (peak "
        << FormatBytes(summary.space_peak_bytes) << "), memory peak "
        << FormatBytes(summary.process.memory_peak_bytes) << ", CPU "
        << FormatTime(summary.process.cpu_s) << std::endl;
}

}  // namespace ycsb
