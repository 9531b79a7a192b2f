#!/bin/sh
# Builds an optimised RocksDB (db_bench, trace_analyzer, static library, headers) into lsmtune's cache, from the source
# in a pinned crate. docs/building-engines.md says what that changes and how long it takes.
set -eu

usage() {
    cat <<END
Usage: tools/build_rocksdb.sh [VERSION]     (or: make rocksdb [VERSION=...])
VERSION is one of $versions; without one it is $newest.
Environment: JOBS=N compilers at a time; KEEP=1 keeps the build folder; PORTABLE=0 builds for this processor alone;
XDG_CACHE_HOME is where caches are, ~/.cache where it is not set.
END
}

say() {
    echo "build_rocksdb: $*"
}

# fail CODE SENTENCE
fail() {
    code=$1
    shift
    echo "build_rocksdb: $*" >&2
    exit "$code"
}

# Sets what belongs to a version: the crate that carries its source, and the crate's SHA-256.
pin() {
    case $1 in
        11.8.1)
            crate=librocksdb-sys-0.19.0
            pinned=4f45e86edad8e88efe97dbf384b4e48e1ff0f111eabf154c7b09d7a1e5fb573c
            ;;
        10.4.2)
            crate=librocksdb-sys-0.17.3
            pinned=cef2a00ee60fe526157c9023edab23943fae1ce2ab6f4abb2a807c1746835de9
            ;;
        8.10.0)
            crate=librocksdb-sys-0.16.0
            pinned=ce3d60bc059831dc1c83903fb45c103f75db65c5a7bf22272764d9cc683e348c
            ;;
        7.9.2)
            crate=librocksdb-sys-0.10.0
            pinned=0fe4d5874f5ff2bc616e55e8c6086d478fcda13faf9495768a4aa1c22042d30b
            ;;
        *)
            fail 2 "RocksDB $1 is not pinned here; choose one of $versions"
            ;;
    esac
}

check_programs() {
    for pair in cmake:cmake make:make c++:g++ tar:tar sha256sum:coreutils; do
        command -v "${pair%%:*}" >/dev/null || fail 1 "there is no ${pair%%:*} here; install it" \
            "(apt-get install ${pair#*:}), or call make rocksdb, which installs what is missing"
    done
}

check_disk() {
    free_kib=$(df -Pk "$work" | awk 'NR == 2 { print $4 }')
    [ "$free_kib" -ge "$needed_kib" ] || fail 1 "the disk of $home has $((free_kib / 1024)) MiB free and the build" \
        "needs $((needed_kib / 1024)) MiB; free some, or set XDG_CACHE_HOME to a folder on another disk"
}

# Prints the path of the crate that cargo fetched; nothing where it did not.
fetched() {
    for file in "$work"/cargo/registry/cache/*/"$crate+$version.crate"; do
        if [ -f "$file" ]; then
            echo "$file"
            return
        fi
    done
}

# cargo fetches a package only as what another one needs.
fetch() {
    command -v cargo >/dev/null || fail 1 "there is no cargo here, which fetches the source; install it" \
        "(apt-get install cargo, on Debian 12 cargo-web), or call make rocksdb, which installs what is missing"
    mkdir -p "$work/fetch/src"
    : > "$work/fetch/src/lib.rs"
    cat > "$work/fetch/Cargo.toml" <<END
[package]
name = "fetch"
version = "0.0.0"
edition = "2021"

[dependencies]
librocksdb-sys = { version = "=${crate#librocksdb-sys-}", default-features = false }
END
    # For this host alone, so that it fetches less. Whether cargo succeeds does not matter (an old one fails over the
    # syntax of packages that are not wanted), but whether the crate came.
    host=$(cargo -vV 2>/dev/null | sed -n 's/^host: //p')
    (cd "$work/fetch" && CARGO_HOME=$work/cargo cargo fetch ${host:+--target "$host"}) > "$work/fetch.log" 2>&1 || true
    [ -n "$(fetched)" ] || fail 1 "cargo could not fetch $crate; check the network and cargo's settings, then give" \
        "the same command again; cargo's last words ($work/fetch.log): $(tail -n 1 "$work/fetch.log" | sed 's/^ *//')"
}

unpack() {
    file=$(fetched)
    found=$(sha256sum < "$file" | cut -d ' ' -f 1)
    [ "$found" = "$pinned" ] || fail 1 "$file is not the crate that is pinned: its SHA-256 is $found, not $pinned;" \
        "remove it and give the same command again"
    rm -rf "$work/unpacked"
    mkdir "$work/unpacked"
    tar --no-same-owner -xzf "$file" -C "$work/unpacked" || fail 1 "$file cannot be unpacked; is the disk full?"
    mv "$work/unpacked/$crate+$version/rocksdb" "$work/source"
    rm -rf "$work/unpacked"
}

# Optimised as RocksDB's own Makefile does it for release (-O2, no assertions), and for any processor of this kind, as
# the distribution's is: then a comparison of the two shows assertions and versions, not instruction sets. Libraries
# that happen to be here (io_uring, jemalloc) are left out. The date is fixed, so that one source gives one binary.
# Old versions use uint64_t without its header, which newer compilers do not bring along: all files include it.
configure() {
    cmake -G 'Unix Makefiles' -S "$work/source" -B "$work/out" \
        -DCMAKE_BUILD_TYPE=Release '-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG' '-DCMAKE_CXX_FLAGS=-include cstdint' \
        "-DPORTABLE=${PORTABLE:-1}" -DUSE_RTTI=1 -DFAIL_ON_WARNINGS=0 -DROCKSDB_BUILD_SHARED=0 '-DBUILD_DATE=not recorded' \
        -DWITH_GFLAGS=1 -DWITH_SNAPPY=1 -DWITH_LZ4=1 -DWITH_ZSTD=1 -DWITH_ZLIB=1 -DWITH_BZ2=1 \
        -DWITH_LIBURING=0 -DWITH_JEMALLOC=0 -DWITH_NUMA=0 \
        -DWITH_BENCHMARK_TOOLS=1 -DWITH_TESTS=0 -DWITH_TOOLS=0 -DWITH_CORE_TOOLS=0 -DWITH_TRACE_TOOLS=1 \
        "-DCMAKE_INSTALL_PREFIX=$home" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_INCLUDEDIR=include \
        > "$work/configure.log" 2>&1 || fail 1 "cmake could not configure RocksDB $version; most often a library is" \
        "missing, which make rocksdb installs; cmake's words: $work/configure.log"
}

# Compilers at a time: one for each core, as far as memory reaches; the largest files take about 1.5 GiB.
usual_jobs() {
    awk -v cores="$(nproc)" '
        /^MemAvailable:/ { most = int($2 / 1572864) }
        END { if (most < 1) most = 1; print (cores < most ? cores : most) }' /proc/meminfo
}

# Passes on how far make is, from its lines "[ 42%] Building CXX object ...", in steps of 5 %.
show_progress() {
    shown=0
    while IFS= read -r line; do
        case $line in
            '['*'%]'*) percent=${line%%\%*} ;;
            *) continue ;;
        esac
        percent=${percent##*[!0-9]}
        if [ "${percent:-0}" -ge $((shown + 5)) ]; then
            shown=$percent
            say "  $percent % after $((($(date +%s) - began) / 60)) min"
        fi
    done
}

compile() {
    rm -f "$work/compiled"
    { cmake --build "$work/out" -j"$jobs" --target db_bench trace_analyzer 2>&1 && : > "$work/compiled"; } |
        tee "$work/compile.log" | show_progress
    [ -e "$work/compiled" ] || refuse_compiled
}

refuse_compiled() {
    log=$work/compile.log
    errors=': (fatal )?error: |undefined reference|: \*\*\* '
    if grep -q 'No space left on device' "$log"; then
        fail 1 "the disk of $work or of temporary files is full; free some and give the same command again: it goes on"
    elif grep -q 'Killed signal\|command: Killed' "$log"; then
        fail 1 "the compiler was killed, most often for lack of memory; go on with JOBS=1 make rocksdb VERSION=$version"
    fi
    fail 1 "RocksDB $version did not compile with $(c++ --version | head -n 1); another version may, or another" \
        "compiler (CXX=...); the first error ($log): $(grep -m 1 -E "$errors" "$log" || echo 'none is named')"
}

# db_bench comes last and at once: lsmtune takes the folder for complete when it is there.
finish() {
    cmake --install "$work/out" > "$work/install.log" 2>&1 ||
        fail 1 "what was built could not be copied to $home; cmake's words: $work/install.log"
    rm -rf "$work/trial"
    "$work/out/db_bench" --benchmarks=fillseq --num=1000 "--db=$work/trial" > "$work/trial.log" 2>&1 ||
        fail 1 "the db_bench that was built does not run; its words: $work/trial.log"
    mkdir -p "$home/bin"
    cp "$work/out/trace_analyzer" "$home/bin/trace_analyzer"
    cp "$work/out/db_bench" "$home/bin/db_bench.part"
    mv "$home/bin/db_bench.part" "$home/bin/db_bench"
    [ "${KEEP:-0}" = 1 ] || rm -rf "$work"
}

newest=11.8.1
versions='11.8.1, 10.4.2, 8.10.0, 7.9.2'
needed_kib=1048576

case ${1:-} in
    -h | --help)
        usage
        exit 0
        ;;
esac
[ $# -le 1 ] || fail 2 "one version at a time; call it as: tools/build_rocksdb.sh [VERSION]"
version=${1:-$newest}
pin "$version"

# What a make that calls this script has been told is not for the makes of RocksDB.
unset MAKEFLAGS MFLAGS MAKELEVEL

home=${XDG_CACHE_HOME:-${HOME:?is not set}/.cache}/lsmtune/rocksdb/$version
work=$home/build
if [ -x "$home/bin/db_bench" ]; then
    say "RocksDB $version is built already: $home/bin/db_bench; to build it anew, remove $home first"
    exit 0
fi
check_programs
mkdir -p "$work" || fail 1 "the folder $work cannot be made; set XDG_CACHE_HOME to a folder that can be written to"
exec 9> "$work/lock"
flock -n 9 || fail 1 "another call builds RocksDB $version in $work; wait for it to end"

jobs=${JOBS:-$(usual_jobs)}
case $jobs in
    '' | *[!0-9]* | 0) fail 2 "JOBS=$jobs is no number of compilers; give 1 or more" ;;
esac
began=$(date +%s)
[ -d "$work/out" ] || check_disk
say "step 1 of 5: fetching the source of RocksDB $version ($crate)"
[ -d "$work/source" ] || [ -n "$(fetched)" ] || fetch
say "step 2 of 5: checking and unpacking it"
[ -d "$work/source" ] || unpack
say "step 3 of 5: configuring"
configure
say "step 4 of 5: compiling, $jobs at a time (log: $work/compile.log)"
compile
say "step 5 of 5: installing"
finish
say "RocksDB $version is built in $home after $((($(date +%s) - began) / 60)) min"
say "lsmtune takes the newest that is built, unless another db_bench is named"
say "its driver is built on this one by: make driver ROCKSDB=$version"
