// Runs the driver inside the test and reads its lines.

#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "report/json_report.h"
#include "run/driver.h"
#include "run/settings.h"

namespace ycsb {

// The lines of a run, parsed.
struct Lines {
  std::vector<nlohmann::json> all;

  // Those of one type, in order.
  std::vector<nlohmann::json> Of(const std::string& type) const {
    std::vector<nlohmann::json> some;
    for (const auto& line : all) {
      if (line.at("type") == type) some.push_back(line);
    }
    return some;
  }
};

inline Lines ParseLines(const std::string& text) {
  Lines lines;
  std::istringstream input(text);
  std::string line;
  while (std::getline(input, line)) lines.all.push_back(nlohmann::json::parse(line));
  return lines;
}

// Runs the driver with the command line `words`.
inline Lines RunDriver(const std::vector<std::string>& words) {
  std::ostringstream out;
  Interrupt interrupt;
  JsonReport report(&out);
  const Settings settings = ReadCommandLine(words);
  Driver(settings, &report, &interrupt).Run();
  return ParseLines(out.str());
}

}  // namespace ycsb
