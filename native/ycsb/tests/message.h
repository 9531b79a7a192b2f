// What an action that must fail says.

#pragma once

#include <gtest/gtest.h>

#include <string>

namespace ycsb {

// The message of the `Error` that `action` throws; fails the test where it throws none.
template <typename Error, typename Action>
std::string MessageOf(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace ycsb
