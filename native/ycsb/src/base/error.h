// What goes wrong, by who can mend it.
//
//   std::runtime_error
//     UsageError   the command line or a property is wrong; nothing was done yet; exit code 2
//     Failure      something failed while working: the engine, the disk; exit code 1
//
// A message is one sentence: the place, the value, and the next step.

#pragma once

#include <stdexcept>
#include <string>

namespace ycsb {

class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& message);
  ~UsageError() override;
};

class Failure : public std::runtime_error {
 public:
  explicit Failure(const std::string& message);
  ~Failure() override;
};

}  // namespace ycsb
