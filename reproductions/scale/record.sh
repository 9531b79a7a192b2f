#!/bin/sh
# Measures the configurations at one scale after the other and keeps their runs here; going on after an interruption.
# At 1/1, where a run takes minutes, three of them.
# Usage: record.sh STUDIES SCALE...   (folder for the studies, and scales like 1/64; nothing else should run)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
studies=$1
shift
for scale in "$@"; do
    name=$(echo "$scale" | tr / -)
    asked="$here/configurations.toml"
    if [ "$scale" = 1/1 ]; then
        asked="$studies/three.toml"
        sed '/^  { name = "/{/"default"\|"within-an-hour"\|"larger-memtables"/!d}' "$here/configurations.toml" >"$asked"
    fi
    lsmtune sweep "$asked" --scale "$scale" --study "$studies/$name" --quiet >"$studies/$name.txt"
    mkdir -p "$here/$name"
    cp "$studies/$name/runs.parquet" "$here/$name/runs.parquet"
done
