#!/bin/sh
# Runs engines-writes.toml and engines-reads.toml, and keeps their runs, cards and pages here; the same command goes on after an
# interruption. The two forks of LevelDB are built by whoever runs this (README.md, "Other engines").
# usage: record-engines.sh STUDIES BOLT PEBBLESDB [FLAG...]   (folder for the studies, paths of the two db_bench; nothing else should
# run). FLAG goes to lsmtune sweep; with --num 2k it is tried in a few minutes, and nothing is kept here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
studies=$1 bolt=$(realpath "$2") pebblesdb=$(realpath "$3")
shift 3
mkdir -p "$studies"
for name in engines-writes engines-reads; do
    sed -e "s|~/bolt/db_bench|$bolt|" -e "s|~/pebblesdb/db_bench|$pebblesdb|" "$here/$name.toml" >"$studies/$name.toml"
    lsmtune sweep "$studies/$name.toml" --study "$studies/$name" --quiet "$@" >"$studies/$name.txt"
    [ $# -eq 0 ] || continue
    mkdir -p "$here/$name"
    cp "$studies/$name/runs.parquet" "$here/$name/runs.parquet"
    lsmtune show "$studies/$name" >"$here/$name/card.txt"
    lsmtune report "$studies/$name" --lite -o "$here/$name/report-lite.html"
done
