#include "run/settings.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "engine/registry.h"
#include "workload/properties.h"

namespace ycsb {
namespace {

// The words of the command line, taken one by one.
class Words {
 public:
  explicit Words(const std::vector<std::string>& words) : words_(words) {}

  bool Empty() const { return next_ == words_.size(); }
  std::string Take() { return words_[next_++]; }

  std::string TakeValueOf(const std::string& flag) {
    if (Empty()) throw UsageError(flag + " needs a value after it; see --help");
    return Take();
  }

 private:
  const std::vector<std::string>& words_;
  size_t next_ = 0;
};

struct Source {
  bool file;  // -P, else -p
  std::string text;
};

// The command line as it was given.
struct Command {
  Settings settings;
  std::string engine;
  std::string database;
  std::string phases;
  std::vector<Source> sources;
};

void TakeOption(const std::string& text, Command* command) {
  const size_t mark = text.find('=');
  if (mark == std::string::npos || mark == 0) {
    throw UsageError("-o " + text + " is no option; write -o NAME=VALUE");
  }
  command->settings.open.options.emplace_back(Trim(text.substr(0, mark)),
                                              Trim(text.substr(mark + 1)));
}

void TakeWord(const std::string& word, Words* words, Command* command) {
  Settings& settings = command->settings;
  if (word == "--help" || word == "-h") {
    settings.request = Request::kHelp;
  } else if (word == "--version") {
    settings.request = Request::kVersion;
  } else if (word == "--human") {
    settings.human = true;
  } else if (word == "--destroy") {
    settings.destroy = true;
  } else if (word == "--engine") {
    command->engine = words->TakeValueOf(word);
  } else if (word == "--db") {
    command->database = words->TakeValueOf(word);
  } else if (word == "--phases") {
    command->phases = words->TakeValueOf(word);
  } else if (word == "--clone-from") {
    settings.clone_from = words->TakeValueOf(word);
  } else if (word == "--options-file") {
    settings.open.options_file = words->TakeValueOf(word);
  } else if (word == "-P" || word == "-p") {
    command->sources.push_back({word == "-P", words->TakeValueOf(word)});
  } else if (word == "-o") {
    TakeOption(words->TakeValueOf(word), command);
  } else {
    throw UsageError("argument \"" + word + "\" is unknown; see --help");
  }
}

// The properties of a phase: the common ones, then the file of its own, then -p again: what is
// typed wins.
Properties ReadProperties(const std::vector<Source>& sources, const std::string& phase_file) {
  Properties properties;
  const auto take = [&properties](const Source& source) {
    if (source.file) {
      properties.LoadFile(source.text);
    } else {
      properties.LoadAssignment(source.text, "-p");
    }
  };
  for (const Source& source : sources) take(source);
  if (phase_file.empty()) return properties;
  properties.LoadFile(phase_file);
  for (const Source& source : sources) {
    if (!source.file) take(source);
  }
  return properties;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void Note(const std::string& sentence, Settings* settings) {
  settings->warnings.push_back(sentence);
  settings->binding_notes.push_back(sentence);
}

// Takes the properties out of `own` that mean nothing to the engine, and names them. This is not
// left to opening the database: here the file and the line of a value are known.
void CheckBinding(const Properties& properties, std::map<std::string, std::string>* own,
                  Settings* settings) {
  const std::string prefix = settings->engine->name() + ".";
  std::vector<std::string> unknown;
  std::vector<std::string> known;
  for (const auto& [name, value] : *own) {
    try {
      (settings->engine->Knows(name, value) ? known : unknown).push_back(prefix + name);
    } catch (const UsageError& error) {
      throw UsageError("property " + properties.Describe(prefix + name) + ": " + error.what());
    }
  }
  for (const std::string& name : unknown) own->erase(name.substr(prefix.size()));
  if (!unknown.empty()) {
    const EngineFacts facts = settings->engine->Facts();
    Note(facts.name + " " + facts.version + " has no " + Joined(unknown) + ": passed over",
         settings);
  }
  const auto named = own->find("optionsfile");
  const std::string file = !settings->open.options_file.empty() ? settings->open.options_file
                           : named != own->end()                ? named->second
                                                                : "";
  known.erase(std::remove(known.begin(), known.end(), prefix + "optionsfile"), known.end());
  if (!file.empty() && !known.empty()) {
    Note("the OPTIONS file " + file + " holds the options, so that " + Joined(known) +
             " do not count, as in YCSB-cpp; give what is to change with -o",
         settings);
  }
}

// Names of folders: YCSB-cpp's, and that of the original.
constexpr std::array<const char*, 2> kFolderNames = {"dbname", "dir"};

void ReadEngineProperties(const Properties& properties, Command* command) {
  Settings& settings = command->settings;
  const std::string name = settings.engine->name();
  std::map<std::string, std::string> own = properties.WithPrefix(name + ".");
  for (const char* folder : kFolderNames) {
    if (command->database.empty()) command->database = own[folder];
    own.erase(folder);
  }
  settings.destroy = settings.destroy || properties.Flag(name + ".destroy", false);
  const std::string format = properties.Text(name + ".format", "single");
  if (format != "single") {
    throw UsageError("property " + properties.Describe(name + ".format") +
                     "; the driver writes a row as one value: write single, or remove the line");
  }
  settings.open.sync = properties.Flag(name + ".sync", false);
  for (const char* common : {"destroy", "format", "sync"}) own.erase(common);
  CheckBinding(properties, &own, &settings);
  settings.open.properties = std::move(own);
  settings.open.path = command->database;
}

// Read once, from the common properties: a phase cannot change them.
constexpr std::array<std::string_view, 7> kCommonProperties = {
    "lsmtune.statistics", "lsmtune.sync",           "lsmtune.disable_wal", "lsmtune.reopen",
    "lsmtune.interval_s", "lsmtune.settle_limit_s", "lsmtune.phases"};

// A look at the engine takes up to 1 ms: more often, and it would be what is measured.
constexpr double kLeastInterval = 0.001;

void ReadOwnProperties(const Properties& properties, Command* command) {
  Settings& settings = command->settings;
  const std::string statistics =
      properties.Choice("lsmtune.statistics", {"tickers", "none", "full"});
  settings.open.statistics = statistics == "none"   ? StatisticsLevel::kNone
                             : statistics == "full" ? StatisticsLevel::kFull
                                                    : StatisticsLevel::kTickers;
  settings.open.sync = properties.Flag("lsmtune.sync", settings.open.sync);
  settings.open.disable_wal = properties.Flag("lsmtune.disable_wal", false);
  settings.reopen = properties.Flag("lsmtune.reopen", false);
  settings.interval_s = properties.Number("lsmtune.interval_s", 1.0, 0.0, 86400.0);
  if (settings.interval_s > 0.0 && settings.interval_s < kLeastInterval) {
    throw UsageError("property " + properties.Describe("lsmtune.interval_s") +
                     "; write 0, for no progress lines, or at least 0.001");
  }
  settings.settle.limit_s = properties.Number("lsmtune.settle_limit_s", 600.0, 0.0, 1e9);
  const std::string phases = properties.Text("lsmtune.phases", "load,run");
  if (command->phases.empty()) command->phases = phases;
}

// Every property must mean something, to this engine, another one, or YCSB.
void CheckKnown(const Properties& properties) {
  for (const EngineType* engine : Engines()) properties.WithPrefix(engine->name() + ".");
  for (const auto& [engine, reason] : MissingEngines()) properties.WithPrefix(engine + ".");
  const std::vector<std::string> unknown = properties.Unasked();
  if (unknown.empty()) return;
  throw UsageError("property " + properties.Describe(unknown.front()) +
                   " is unknown; look for its name in README.md, or remove it");
}

void CheckEnd(const Phase& phase) {
  const Pace& pace = phase.workload.pace;
  const bool ends = pace.operation_count > 0 || pace.duration_s > 0.0 || pace.max_execution_s > 0.0;
  if (phase.spec.kind == PhaseKind::kRun && !ends) {
    throw UsageError("phase " + phase.spec.label +
                     " would never end; give -p operationcount=N or -p lsmtune.duration_s=S");
  }
}

// What a search for the largest rate needs, and what it decides itself.
void CheckMaxRate(const Phase& phase) {
  if (phase.spec.kind != PhaseKind::kMaxRate) return;
  if (phase.workload.max_rate.limit_s <= 0.0) {
    throw UsageError("phase " + phase.spec.label +
                     " has no limit to keep; give -p lsmtune.max_rate.limit_s=S");
  }
  const Pace& pace = phase.workload.pace;
  if (pace.target_ops_s > 0.0 || pace.warmup_s > 0.0) {
    throw UsageError("phase " + phase.spec.label +
                     " finds its rate itself; take target and lsmtune.warmup_s out");
  }
}

void CheckAgreement(const std::vector<Phase>& phases) {
  const Phase* first = nullptr;
  for (const Phase& phase : phases) {
    if (!phase.Works()) continue;
    if (first == nullptr) first = &phase;
    if (phase.workload.record_count != first->workload.record_count) {
      throw UsageError("phase " + phase.spec.label + " has recordcount " +
                       std::to_string(phase.workload.record_count) + ", phase " +
                       first->spec.label + " " + std::to_string(first->workload.record_count) +
                       "; give -p recordcount=N, which holds for all");
    }
  }
}

// What holds for the whole process cannot stand in the file of one phase.
void CheckPhaseFile(const std::string& file, const std::string& engine) {
  if (file.empty()) return;
  Properties properties;
  properties.LoadFile(file);
  for (const auto& [name, value] : properties.All()) {
    const bool common = std::find(kCommonProperties.begin(), kCommonProperties.end(), name) !=
                        kCommonProperties.end();
    if (common || name.rfind(engine + ".", 0) == 0) {
      throw UsageError("property " + properties.Describe(name) +
                       " holds for all phases; set it with -p or -P");
    }
  }
}

Phase ReadPhase(const PhaseSpec& spec, const Command& command) {
  Phase phase{spec, {}};
  if (!phase.Works()) return phase;
  CheckPhaseFile(spec.file, command.engine);
  const Properties properties = ReadProperties(command.sources, spec.file);
  phase.workload = ReadWorkload(properties);
  CheckEnd(phase);
  CheckMaxRate(phase);
  for (const std::string_view common : kCommonProperties) properties.Find(std::string(common));
  AskIgnored(properties);
  CheckKnown(properties);
  return phase;
}

void ReadPhases(Command* command) {
  Settings& settings = command->settings;
  for (const PhaseSpec& spec : ParsePhases(command->phases)) {
    settings.phases.push_back(ReadPhase(spec, *command));
    for (const std::string& warning : settings.phases.back().workload.warnings) {
      settings.warnings.push_back("phase " + spec.label + ": " + warning);
    }
  }
  CheckAgreement(settings.phases);
}

// An engine refuses such a folder, too, but only after the load before it.
void CheckCheckpoints(const std::vector<Phase>& phases) {
  for (const Phase& phase : phases) {
    if (phase.spec.kind != PhaseKind::kCheckpoint) continue;
    std::error_code absent;
    if (std::filesystem::is_empty(phase.spec.file, absent) || absent) continue;
    throw UsageError("phase " + phase.spec.label + " is to copy into " + phase.spec.file +
                     ", which is not empty; name a new folder or remove it");
  }
}

void CheckDatabase(Settings* settings) {
  const bool stored = !settings->engine->ImmutableFiles().empty();
  if (!stored) return;
  const std::filesystem::path& path = settings->open.path;
  const std::filesystem::path& origin = settings->clone_from;
  if (path.empty()) {
    throw UsageError("no database is named; give --db FOLDER or -p " + settings->engine->name() +
                     ".dbname=FOLDER");
  }
  std::error_code absent;
  if (!origin.empty() && std::filesystem::equivalent(origin, path, absent)) {
    throw UsageError("--clone-from and --db name the same folder " + path.string() +
                     "; name another one with --db");  // --destroy would remove the origin
  }
  if (!origin.empty() && !std::filesystem::exists(origin / "CURRENT")) {
    throw UsageError("--clone-from " + origin.string() +
                     " holds no database (no file CURRENT); load one there first");
  }
  const bool there = std::filesystem::exists(path / "CURRENT") && !settings->destroy;
  if (!settings->open.create && !there && origin.empty()) {
    throw UsageError("there is no database in " + path.string() +
                     "; begin with the phase load, or give --clone-from FOLDER");
  }
  if (settings->open.create && there && origin.empty()) {
    settings->warnings.push_back("there is a database in " + path.string() +
                                 " already, and the load writes over what it holds; --destroy "
                                 "begins with an empty one");
  }
}

}  // namespace

Settings ReadCommandLine(const std::vector<std::string>& arguments) {
  Command command;
  Words words(arguments);
  while (!words.Empty()) TakeWord(words.Take(), &words, &command);
  Settings& settings = command.settings;
  if (settings.request != Request::kWork) return settings;
  if (command.engine.empty())
    throw UsageError("no engine is named; give --engine NAME, see --help");
  settings.engine = &FindEngine(command.engine);

  const Properties properties = ReadProperties(command.sources, "");
  ReadEngineProperties(properties, &command);
  ReadOwnProperties(properties, &command);
  ReadPhases(&command);
  settings.ignored_properties = AskIgnored(properties);
  settings.properties = properties.All();
  settings.open.create =
      std::any_of(settings.phases.begin(), settings.phases.end(),
                  [](const Phase& phase) { return phase.spec.kind == PhaseKind::kLoad; });
  CheckCheckpoints(settings.phases);
  CheckDatabase(&settings);
  return settings;
}

}  // namespace ycsb
