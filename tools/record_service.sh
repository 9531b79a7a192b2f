#!/bin/sh
# Records the service of docs/tutorials/from-production.md: what a key-value service on RocksDB's defaults leaves behind that
# reads four times as often as it writes, at 8,000 operations in a second, with a small cache and without a filter.
# Usage: tools/record_service.sh FOLDER     (needs lsmtune build driver; ten seconds)
set -eu

[ $# = 1 ] || { echo "record_service: one folder, for LOG.gz and the OPTIONS file: tools/record_service.sh FOLDER" >&2; exit 2; }
driver=${LSMTUNE_DRIVER:-${XDG_CACHE_HOME:-$HOME/.cache}/lsmtune/driver/lsmtune-ycsb}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

serve() {
    "$driver" --engine rocksdb --db "$scratch/service" "$@" \
        -o write_buffer_size=262144 -o max_bytes_for_level_base=1048576 -o target_file_size_base=262144 \
        -o stats_dump_period_sec=2 -p rocksdb.cache_size=2097152 \
        -p recordcount=20000 -p fieldcount=1 -p fieldlength=400 -p lsmtune.value_compressibility=0.5 \
        -p readproportion=0.8 -p updateproportion=0.2 -p requestdistribution=zipfian -p lsmtune.blindupdates=true \
        > "$scratch/out"
}

serve --phases load,settle
serve --phases run -p operationcount=80000 -p target=8000
mkdir -p "$1"
sed "s|$scratch|/var/lib|g" "$scratch/service/LOG" | gzip -9nc > "$1/LOG.gz"
cp "$(find "$scratch/service" -name 'OPTIONS-*' | sort | tail -n 1)" "$1/"
