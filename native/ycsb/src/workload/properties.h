// Property files as YCSB reads them, and typed access to the properties.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ycsb {

// Named values, later ones replacing earlier ones, each with the place that it came from. Values
// are text; a getter that cannot read its value throws UsageError with name, value and place.
// Getters note which names were asked for. Copyable; not thread-safe.
class Properties {
 public:
  // Reads lines `name=value` (or `name:value`); blank lines and lines that begin with # or ! are
  // comments; blanks around names and values do not count. Throws UsageError where the file cannot
  // be read or a line has no name.
  void LoadFile(const std::string& path);

  // Takes one `name=value`, as from -p. `place` is named in messages.
  void LoadAssignment(const std::string& assignment, const std::string& place);

  void Set(const std::string& name, const std::string& value, const std::string& place);

  bool Has(const std::string& name) const { return entries_.count(name) > 0; }

  std::optional<std::string> Find(const std::string& name) const;
  std::string Text(const std::string& name, const std::string& fallback) const;
  bool Flag(const std::string& name, bool fallback) const;

  // A whole number in [least, most].
  uint64_t Count(const std::string& name, uint64_t fallback, uint64_t least = 0,
                 uint64_t most = UINT64_MAX) const;

  // A number in [low, high].
  double Number(const std::string& name, double fallback, double low, double high) const;

  // One of `choices`; the first is the fallback.
  std::string Choice(const std::string& name, const std::vector<std::string>& choices) const;

  // The properties whose names begin with `prefix`, without it. They count as asked for.
  std::map<std::string, std::string> WithPrefix(const std::string& prefix) const;

  // Names that no getter asked for, in order.
  std::vector<std::string> Unasked() const;

  // "name" is "value" (place): the beginning of a message about it.
  std::string Describe(const std::string& name) const;

  // All names and values.
  std::map<std::string, std::string> All() const;

 private:
  struct Entry {
    std::string value;
    std::string place;
  };

  std::map<std::string, Entry> entries_;
  mutable std::set<std::string> asked_;
};

// A whole number without sign or rest; nullopt where the text is something else.
std::optional<uint64_t> ParseCount(const std::string& text);

// A finite number without rest; nullopt where the text is something else.
std::optional<double> ParseNumber(const std::string& text);

// "true", "1", "yes" or "false", "0", "no"; nullopt where the text is something else.
std::optional<bool> ParseFlag(const std::string& text);

// The text without blanks at its ends.
std::string Trim(const std::string& text);

}  // namespace ycsb
