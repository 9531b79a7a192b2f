#!/bin/sh
# Runs Jin et al. 2022 in their setting, and keeps here what is read of it: the genetic algorithm, with both readings of its parents, then
# the sample, which takes longest. The same command goes on after an interruption. README.md says how long it takes.
# usage: record.sh STUDIES [SCRATCH [FLAG...]]   (folder for the studies, another for the data; nothing else should run)
# SCRATCH left out, the data of the genes lies with its study; that of the sample lies in memory. FLAG goes to lsmtune; with --budget
# "40 runs" it is tried, and nothing is kept.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
studies=$1
scratch=${2:-}
if [ $# -gt 1 ]; then shift 2; else shift; fi
bench=${XDG_CACHE_HOME:-$HOME/.cache}/lsmtune/rocksdb/6.11.4/bin/db_bench
mkdir -p "$studies"
# By a link, so that what is kept here names no folder of this machine.
[ -z "$scratch" ] || ln -sfn "$(realpath "$scratch")" "$studies/data"
for name in paper-genes paper-genes-generations paper-genes-survivors paper-sample; do
    cp "$here/$name.toml" "$studies/$name.toml"
    case $name in
        paper-sample) run=sample ;;
        *) run=reproduce; [ -z "$scratch" ] || echo 'scratch = "data"' >>"$studies/$name.toml" ;;
    esac
    lsmtune $run "$studies/$name.toml" --study "$studies/$name" --db-bench "$bench" --quiet "$@" >"$studies/$name.txt"
    [ $# -eq 0 ] || continue
    mkdir -p "$here/$name"
    cp "$studies/$name/runs.parquet" "$here/$name/runs.parquet"
    COLUMNS=100 lsmtune reproduce "$here/$name/runs.parquet" >"$here/$name/result.txt"
    lsmtune reproduce "$here/$name/runs.parquet" --json >"$here/$name/result.json"
done
[ $# -eq 0 ] || exit 0
cd "$here/paper-sample"
lsmtune reproduce runs.parquet --figures figures >/dev/null
python ../learning_curve.py runs.parquet --figure figures/learning-curve.svg >learning-curve.txt
