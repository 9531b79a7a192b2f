#!/bin/sh
# Builds LevelDB's own db_bench, optimised, from the source in a pinned crate, where lsmtune finds it:
# $XDG_CACHE_HOME/lsmtune/leveldb/VERSION/bin/db_bench, ~/.cache without $XDG_CACHE_HOME. About a minute of a processor.
# Usage: tools/build_leveldb.sh
# It needs cargo, cmake, make and a C++ compiler; with snappy's headers (libsnappy-dev) LevelDB compresses its blocks.
set -eu

version=1.22
crate=2.0.9
sum=9dd94a4d0242a437e5e41a27c782b69a624469ca1c4d1e5cb3c337f74a8031d4
home=${XDG_CACHE_HOME:-$HOME/.cache}/lsmtune/leveldb/$version
program=$home/bin/db_bench

if [ -x "$program" ]; then
    echo "$program is there already"
    exit 0
fi
for needed in cargo cmake make c++ sha256sum; do
    if ! command -v "$needed" >/dev/null; then
        echo "build_leveldb: $needed is missing; install it (apt-get install cargo cmake make g++ coreutils)" >&2
        exit 1
    fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# cargo downloads from the registry that the user has set up; nothing of the crate is run.
mkdir -p "$work/fetch/src"
: >"$work/fetch/src/lib.rs"
cat >"$work/fetch/Cargo.toml" <<END
[package]
name = "fetch"
version = "0.0.0"
edition = "2021"
[dependencies]
leveldb-sys = { version = "=$crate", default-features = false }
END
(cd "$work/fetch" && cargo fetch -q)
file=
for found in "${CARGO_HOME:-$HOME/.cargo}"/registry/cache/*/leveldb-sys-"$crate".crate; do
    file=$found
done
if ! echo "$sum  $file" | sha256sum -c --quiet; then
    echo "build_leveldb: the crate leveldb-sys $crate is not the one that was pinned; do not use it" >&2
    exit 1
fi
tar -xzf "$file" -C "$work"

# tcmalloc and crc32c are used where they happen to be installed: without them a build is the same everywhere.
cmake -S "$work/leveldb-sys-$crate/deps/leveldb-$version" -B "$work/build" -DCMAKE_BUILD_TYPE=Release \
    -DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=ON -DLEVELDB_INSTALL=OFF -DBUILD_SHARED_LIBS=OFF \
    -DHAVE_TCMALLOC=0 -DHAVE_CRC32C=0 >"$work/cmake.log" 2>&1 || {
    cat "$work/cmake.log" >&2
    exit 1
}
cmake --build "$work/build" -j"$(nproc)" --target db_bench >"$work/make.log" 2>&1 || {
    cat "$work/make.log" >&2
    exit 1
}
install -D "$work/build/db_bench" "$program"
echo "built $program"
