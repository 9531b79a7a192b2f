#!/bin/sh
# Measures the twelve configurations at 1/32 under two offered rates, twice each, and keeps the runs here.
# Usage: record_rates.sh STUDIES   (folder for the study; nothing else should run)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
studies=$1
# The reference is offered 60,000 writes of 1,040 B in a second.
sed -e 's/^repeats = .*/repeats = 2/' -e '/^\[search\]$/i [workload.flags]\nbenchmark_write_rate_limit = 62400000\n' \
    -e '/^\[sweep\]$/i [sweep.axes]\ntarget = [60000, 120000]\n' "$here/configurations.toml" >"$studies/rates.toml"
lsmtune sweep "$studies/rates.toml" --scale 1/32 --study "$studies/rates" --quiet >"$studies/rates.txt"
mkdir -p "$here/rates"
cp "$studies/rates/runs.parquet" "$here/rates/runs.parquet"
