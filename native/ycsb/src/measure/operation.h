// The kinds of operations, as YCSB names them, and one kind of ours.

#pragma once

#include <array>
#include <cstddef>

namespace ycsb {

enum class OperationType : size_t { kRead, kUpdate, kInsert, kScan, kReadModifyWrite, kDelete };

inline constexpr size_t kOperationTypes = 6;

inline constexpr std::array<OperationType, kOperationTypes> kAllOperations = {
    OperationType::kRead, OperationType::kUpdate,          OperationType::kInsert,
    OperationType::kScan, OperationType::kReadModifyWrite, OperationType::kDelete};

// The name in the output.
constexpr const char* Name(OperationType type) {
  constexpr std::array<const char*, kOperationTypes> kNames = {
      "read", "update", "insert", "scan", "read_modify_write", "delete"};
  return kNames[static_cast<size_t>(type)];
}

}  // namespace ycsb
