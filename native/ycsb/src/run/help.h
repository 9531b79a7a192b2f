// What the command line understands.

#pragma once

#include <string>

namespace ycsb {

// The text of --help.
std::string HelpText();

}  // namespace ycsb
