// From properties, option texts and OPTIONS files to RocksDB's options.

#pragma once

#include <string>

#include "engine/engine.h"
#include "rocksdb/options.h"

namespace ycsb {

// The options of `request`: RocksDB's defaults, or its OPTIONS file; without a file the properties
// (the names of YCSB-cpp, and every name of an OPTIONS file); last the single options, in order.
// Throws UsageError for what does not exist or cannot be read.
rocksdb::Options MakeRocksdbOptions(const OpenRequest& request);

// Sets one option by its name in an OPTIONS file: of the database, the column family or its block
// based table, whichever knows the name. Throws UsageError where none does, or the value cannot be
// read.
void ApplyRocksdbOption(const std::string& name, const std::string& value,
                        rocksdb::Options* options);

// Whether the property rocksdb.`name` means something to this version. Throws UsageError for a value
// that cannot be read, and for what is not built in.
bool KnowsRocksdbProperty(const std::string& name, const std::string& value);

// The newest OPTIONS file of the database at `path`, in sections without the column family's name.
OptionSections ReadRocksdbOptionsFile(const std::string& path);

}  // namespace ycsb
