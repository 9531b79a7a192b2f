#!/bin/sh
# Records the ten data sets of sets/ one after the other, on a machine where nothing else runs; the same command goes on
# after an interruption, and leaves alone what was recorded before. About half an hour a set.
# usage: record.sh STUDIES [NAME...]   (folder for the studies, and which sets; left out, all)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
studies=$1
shift
[ $# -gt 0 ] || set -- fill-small-values overwrite-zipfian readwhilewriting mixgraph ycsb-a-rocksdb ycsb-e-rocksdb \
    ycsb-a-leveldb fill-universal seekrandomwhilewriting readrandomwriterandom
mkdir -p "$studies"
for name in "$@"; do
    kept=$here/sets/$name/runs.parquet
    if [ -e "$kept" ]; then
        echo "$name: recorded already"
        continue
    fi
    lsmtune sample "$here/sets/$name.toml" --study "$studies/$name" --quiet >"$studies/$name.txt"
    mkdir -p "$here/sets/$name"
    cp "$studies/$name/runs.parquet" "$kept.part"
    mv "$kept.part" "$kept"
    echo "$name: $(du -h "$kept" | cut -f1)"
done
