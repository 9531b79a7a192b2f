#include "workload/properties.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

#include "base/error.h"

namespace ycsb {
namespace {

constexpr const char* kBlanks = " \t\r\n\f";

[[noreturn]] void Reject(const std::string& description, const std::string& wanted) {
  throw UsageError("property " + description + "; write " + wanted);
}

// Whether a line goes on in the next one, as in Java's files: it ends with an odd number of backslashes.
bool GoesOn(const std::string& line) {
  const size_t last = line.find_last_not_of('\\');
  return (line.size() - (last == std::string::npos ? 0 : last + 1)) % 2 == 1;
}

std::string Shortest(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

}  // namespace

std::string Trim(const std::string& text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::optional<uint64_t> ParseCount(const std::string& text) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

std::optional<double> ParseNumber(const std::string& text) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<bool> ParseFlag(const std::string& text) {
  if (text == "true" || text == "1" || text == "yes") return true;
  if (text == "false" || text == "0" || text == "no") return false;
  return std::nullopt;
}

void Properties::LoadFile(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    throw UsageError("the property file " + path + " cannot be read; check the path after -P");
  std::string line;
  std::string text;  // lines that belong together
  int begin = 0;     // the first of them; 0: none yet
  const auto take = [&] {
    if (!text.empty()) LoadAssignment(text, path + ":" + std::to_string(begin));
    text.clear();
    begin = 0;
  };
  for (int number = 1; std::getline(file, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    line.erase(0, std::min(line.find_first_not_of(kBlanks), line.size()));
    if (begin == 0 && (line.empty() || line[0] == '#' || line[0] == '!')) continue;
    if (begin == 0) begin = number;
    const bool goes_on = GoesOn(line);
    if (goes_on) line.pop_back();
    text += line;
    if (!goes_on) take();
  }
  take();
  if (file.bad())
    throw UsageError("reading the property file " + path + " failed; is it a folder?");
}

void Properties::LoadAssignment(const std::string& assignment, const std::string& place) {
  const size_t mark = assignment.find_first_of("=:");
  const std::string name = Trim(assignment.substr(0, mark));
  if (mark == std::string::npos || name.empty()) {
    throw UsageError("\"" + assignment + "\" (" + place + ") is no property; write name=value");
  }
  Set(name, Trim(assignment.substr(mark + 1)), place);
}

void Properties::Set(const std::string& name, const std::string& value, const std::string& place) {
  entries_[name] = Entry{value, place};
}

std::optional<std::string> Properties::Find(const std::string& name) const {
  asked_.insert(name);
  const auto entry = entries_.find(name);
  if (entry == entries_.end()) return std::nullopt;
  return entry->second.value;
}

std::string Properties::Text(const std::string& name, const std::string& fallback) const {
  return Find(name).value_or(fallback);
}

bool Properties::Flag(const std::string& name, bool fallback) const {
  const auto text = Find(name);
  if (!text) return fallback;
  const auto value = ParseFlag(*text);
  if (!value) Reject(Describe(name), "true or false");
  return *value;
}

uint64_t Properties::Count(const std::string& name, uint64_t fallback, uint64_t least,
                           uint64_t most) const {
  const auto text = Find(name);
  if (!text) return fallback;
  const auto value = ParseCount(*text);
  if (!value || *value < least || *value > most) {
    const std::string low = std::to_string(least);
    Reject(Describe(name), most == UINT64_MAX
                               ? "a whole number of at least " + low
                               : "a whole number from " + low + " to " + std::to_string(most));
  }
  return *value;
}

double Properties::Number(const std::string& name, double fallback, double low, double high) const {
  const auto text = Find(name);
  if (!text) return fallback;
  const auto value = ParseNumber(*text);
  if (!value || *value < low || *value > high) {
    Reject(Describe(name), "a number from " + Shortest(low) + " to " + Shortest(high));
  }
  return *value;
}

std::string Properties::Choice(const std::string& name,
                               const std::vector<std::string>& choices) const {
  const auto text = Find(name);
  if (!text) return choices.front();
  std::string list;
  for (const std::string& choice : choices) {
    if (choice == *text) return choice;
    list += (list.empty() ? "" : ", ") + choice;
  }
  Reject(Describe(name), "one of " + list);
}

std::map<std::string, std::string> Properties::WithPrefix(const std::string& prefix) const {
  std::map<std::string, std::string> result;
  for (const auto& [name, entry] : entries_) {
    if (name.compare(0, prefix.size(), prefix) != 0) continue;
    asked_.insert(name);
    result[name.substr(prefix.size())] = entry.value;
  }
  return result;
}

std::vector<std::string> Properties::Unasked() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) {
    if (asked_.count(name) == 0) names.push_back(name);
  }
  return names;
}

std::string Properties::Describe(const std::string& name) const {
  const auto entry = entries_.find(name);
  if (entry == entries_.end()) return "\"" + name + "\" is missing";
  return "\"" + name + "\" is \"" + entry->second.value + "\" (" + entry->second.place + ")";
}

std::map<std::string, std::string> Properties::All() const {
  std::map<std::string, std::string> all;
  for (const auto& [name, entry] : entries_) all[name] = entry.value;
  return all;
}

}  // namespace ycsb
