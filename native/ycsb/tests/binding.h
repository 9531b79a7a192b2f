// A property file given to the driver, and the database that it opens, for tests of bindings.

#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/folder.h"
#include "engine/engine.h"
#include "engine/registry.h"
#include "run/settings.h"

namespace ycsb {

// A property file of one engine's binding.
class BindingFile {
 public:
  BindingFile(std::string engine, const std::string& text) : engine_(std::move(engine)) {
    std::ofstream(path()) << text;
  }

  std::string path() const { return (folder_.path() / "engine.properties").string(); }
  std::string database() const { return (folder_.path() / "db").string(); }

  // What the command line says with the file and `more`; the database is that of --db.
  Settings Read(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"--engine", engine_, "-P", path(), "--db", database(), "-p",
                                      "recordcount=10", "-p", "operationcount=10"};
    words.insert(words.end(), more.begin(), more.end());
    return ReadCommandLine(words);
  }

  // The options in use after opening, all sections together.
  std::map<std::string, std::string> Effective(const std::vector<std::string>& more = {}) const {
    Settings settings = Read(more);
    EventSink events;
    settings.open.events = &events;
    std::map<std::string, std::string> all;
    const auto engine = settings.engine->Open(settings.open);
    for (const auto& [section, options] : engine->EffectiveOptions()) {
      all.insert(options.begin(), options.end());
    }
    return all;
  }

 private:
  std::string engine_;
  TemporaryFolder folder_;
};

}  // namespace ycsb
