// What LevelDB's property "leveldb.sstables" says of its tree.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace ycsb {

// Files and bytes of each level from the text of the property: lines `--- level N ---`, each
// followed by lines ` NUMBER:BYTES[...]`. Lines of another form are passed over.
std::vector<Level> ParseLeveldbTree(const std::string& text);

// Bytes above what LevelDB 1.23 lets its levels hold: all of level 0 from 4 files on, and what
// exceeds 10 MB x 10^(n-1) on level n. LevelDB has no such estimate of its own; the work to come is
// several times as much.
uint64_t LeveldbPendingBytes(const std::vector<Level>& levels);

}  // namespace ycsb
