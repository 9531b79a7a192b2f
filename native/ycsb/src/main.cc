// ycsb: runs YCSB workloads on an embedded storage engine. See README.md.
//
// Exit codes: 0; 1 something failed; 2 the command line or a property is wrong; 128 + N a signal N
// ended the phases early, everything up to then is reported.

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "engine/registry.h"
#include "report/human_report.h"
#include "report/json_report.h"
#include "report/reports.h"
#include "run/driver.h"
#include "run/help.h"
#include "run/settings.h"
#include "version.h"

namespace ycsb {
namespace {

void PrintVersion() {
  std::cout << "ycsb " << kVersion << ", output format " << JsonReport::kFormat << "\n";
  for (const EngineType* engine : Engines()) {
    const EngineFacts facts = engine->Facts();
    std::cout << facts.name << " " << facts.version << ", assertions "
              << (facts.assertions ? (*facts.assertions ? "on" : "off") : "unknown")
              << ", compressors";
    for (const std::string& compressor : facts.compressors) std::cout << " " << compressor;
    if (facts.compressors.empty()) std::cout << " none";
    std::cout << "\n";
  }
  for (const auto& [name, reason] : MissingEngines()) {
    std::cout << name << ": left out of this build, " << reason << "\n";
  }
}

int Work(const Settings& settings) {
  // An engine that aborts has printed why; a file of its memory helps nobody who tunes it.
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  std::signal(SIGPIPE, SIG_IGN);  // a closed output is reported as a failure, in words
  Interrupt interrupt;
  JsonReport json(&std::cout);
  HumanReport human(&std::cerr);
  Reports reports({&json});
  if (settings.human || isatty(STDERR_FILENO) == 1) {
    reports.Add(&human);  // it has the warnings
  } else {
    for (const std::string& note : settings.binding_notes) std::cerr << "ycsb: " << note << "\n";
  }
  Driver(settings, &reports, &interrupt).Run();
  return interrupt.signal() == 0 ? 0 : 128 + interrupt.signal();
}

int Main(const std::vector<std::string>& arguments) {
  const Settings settings = ReadCommandLine(arguments);
  switch (settings.request) {
    case Request::kHelp:
      std::cout << HelpText();
      return 0;
    case Request::kVersion:
      PrintVersion();
      return 0;
    case Request::kWork:
      break;
  }
  return Work(settings);
}

}  // namespace
}  // namespace ycsb

int main(int count, char** words) {
  try {
    return ycsb::Main(std::vector<std::string>(words + 1, words + count));
  } catch (const ycsb::UsageError& error) {
    std::cerr << "ycsb: " << error.what() << std::endl;
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "ycsb: " << error.what() << std::endl;
    return 1;
  }
}
