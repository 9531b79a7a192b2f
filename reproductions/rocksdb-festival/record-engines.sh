#!/bin/sh
# Runs engines-writes.toml and engines-reads.toml, and keeps their runs, cards and pages here; the same command goes on after an
# interruption. Whoever runs this builds the two forks of LevelDB (README.md, "Other engines"), and puts their db_bench, or links to
# them, at ~/bolt/db_bench and ~/pebblesdb/db_bench.
# usage: record-engines.sh STUDIES [FLAG...]   (folder for the studies; nothing else should run). FLAG goes to lsmtune sweep; with
# --num 2k it is tried in a few minutes, and nothing is kept here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
studies=$1
shift
mkdir -p "$studies"
for name in engines-writes engines-reads; do
    lsmtune sweep "$here/$name.toml" --study "$studies/$name" --quiet "$@" >"$studies/$name.txt"
    [ $# -eq 0 ] || continue
    mkdir -p "$here/$name"
    cp "$studies/$name/runs.parquet" "$here/$name/runs.parquet"
    lsmtune show "$studies/$name" >"$here/$name/card.txt"
    lsmtune report "$studies/$name" --lite -o "$here/$name/report-lite.html"
done
