#include "base/error.h"

namespace ycsb {

UsageError::UsageError(const std::string& message) : std::runtime_error(message) {}
UsageError::~UsageError() = default;

Failure::Failure(const std::string& message) : std::runtime_error(message) {}
Failure::~Failure() = default;

}  // namespace ycsb
