#include "run/help.h"

#include "engine/registry.h"

namespace ycsb {

std::string HelpText() {
  std::string engines;
  for (const EngineType* engine : Engines()) engines += " " + engine->name();
  return "usage: ycsb --engine NAME --db FOLDER [-P FILE]... [-p NAME=VALUE]... [-o "
         "NAME=VALUE]...\n"
         "\n"
         "Runs YCSB workloads on an embedded engine; JSON lines on standard output, tables on "
         "standard\n"
         "error.\n"
         "\n"
         "  --engine NAME         one of:" +
         engines +
         "\n"
         "  --db FOLDER           the database; else the property NAME.dbname\n"
         "  --phases LIST         load, run, max_rate, settle, checkpoint@FOLDER, in any order, "
         "separated by commas;\n"
         "                        KIND:LABEL@FILE names a phase and adds properties (default: "
         "load,run)\n"
         "  -P FILE               a property file of YCSB\n"
         "  -p NAME=VALUE         a property; later ones win, also over files of phases\n"
         "  -o NAME=VALUE         an option of the engine by its own name\n"
         "  --options-file FILE   an OPTIONS file of RocksDB, in place of rocksdb.* properties\n"
         "  --clone-from FOLDER   begin with a hard-linked copy of a closed database\n"
         "  --destroy             first remove the database that is there\n"
         "  --human               print tables even if standard error is no terminal\n"
         "  --version, --help\n";
}

}  // namespace ycsb
