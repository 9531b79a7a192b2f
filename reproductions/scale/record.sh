#!/bin/sh
# Measures the twelve configurations at one scale after the other and keeps their runs here; going on after an interruption.
# Usage: record.sh STUDIES SCALE...   (folder for the studies, and scales like 1/64; nothing else should run)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
studies=$1
shift
for scale in "$@"; do
    name=$(echo "$scale" | tr / -)
    lsmtune sweep "$here/configurations.toml" --scale "$scale" --study "$studies/$name" --quiet >"$studies/$name.txt"
    mkdir -p "$here/$name"
    cp "$studies/$name/runs.parquet" "$here/$name/runs.parquet"
done
