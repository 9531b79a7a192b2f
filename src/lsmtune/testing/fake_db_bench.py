"""A stand-in for db_bench 7.8.3: its command line, output, LOG, OPTIONS file and folder, without an engine.

`install` makes a program of it that starts in about 20 ms and takes no longer, however long it says that it took: its
times come from a small model (more flushes, heavier compressors and fewer background jobs are slower; filters speed
reads up), times exp(noise x a standard normal number that depends on the seed). Amounts (bytes, flushes, compactions,
tickers) agree with one another as they do in RocksDB.

The environment variable FAKE_DB_BENCH makes it misbehave: words separated by commas.

=================  ====================================================================================
``abort``          ends in SIGABRT with a failed assertion
``child=FILE``     leaves a process behind that sleeps for an hour, its number in FILE
``failed-job``     ends well, but logs that a compaction failed
``garbage``        ends well, but prints and logs nothing that can be read
``grow``           writes until it is stopped
``hang``           never ends, nor begins
``hang-late``      never ends, once the results are there
``noise=0.05``     the noise of its times; 0.02 where not given
``open-error``     ends with code 1 and a message
``sleep=1.5``      really takes so many seconds, and reports its progress
``stubborn``       ignores SIGTERM
``when=TEXT``      misbehaves only where TEXT is in the command line
=================  ====================================================================================

Commands without ``--histogram`` are spared, so that a misbehaving program can still be discovered.
This file runs by itself, without the rest of lsmtune, with ``python -SE``.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NoReturn

VARIABLE = "FAKE_DB_BENCH"
VERSION = "7.8.3"

# Section of the OPTIONS file and type, then flag=default or flag:key=default; the key "-" is written by other rules.
_OPTIONS = """
CF int64 write_buffer_size=67108864 arena_block_size=0 target_file_size_base=67108864 max_write_buffer_number=2
CF int64 min_write_buffer_number_to_merge=1 level0_file_num_compaction_trigger=4 level0_slowdown_writes_trigger=20
CF int64 level0_stop_writes_trigger=36 compaction_style=0 compaction_pri=3 num_levels=7 target_file_size_multiplier=1
CF int64 universal_size_ratio:-=0 universal_min_merge_width:-=0 universal_max_merge_width:-=0
CF int64 universal_max_size_amplification_percent:-=0 universal_compression_size_percent:-=-1
CF int64 compression_level:-=32767 min_level_to_compress:-=-1 compression_max_dict_bytes:-=0 bloom_locality=0
CF int64 soft_pending_compaction_bytes_limit=68719476736 hard_pending_compaction_bytes_limit=137438953472
CF int64 max_bytes_for_level_base=268435456 max_compaction_bytes=0 min_blob_size=0 blob_file_size=268435456
DB int64 db_write_buffer_size=0 max_total_wal_size=0 delayed_write_rate=8388608 subcompactions:max_subcompactions=1
DB int64 bytes_per_sync=0 wal_bytes_per_sync=0 max_background_jobs=2 max_background_compactions=-1
DB int64 max_background_flushes=-1 compaction_readahead_size=0 open_files:max_open_files=-1
CF string memtablerep:memtable_factory=skip_list compression_type:compression=snappy blob_compression_type=none
DB bool allow_concurrent_memtable_write=true enable_pipelined_write=true use_direct_reads=false
DB bool use_direct_io_for_flush_and_compaction=false mmap_read:allow_mmap_reads=false
DB bool mmap_write:allow_mmap_writes=false
CF double memtable_bloom_size_ratio:memtable_prefix_bloom_size_ratio=0 max_bytes_for_level_multiplier=10
CF double blob_garbage_collection_age_cutoff=0.25 blob_garbage_collection_force_threshold=1
CF bool memtable_whole_key_filtering=false level_compaction_dynamic_level_bytes=false optimize_filters_for_hits=false
CF bool enable_blob_files=false enable_blob_garbage_collection=false
Table int64 block_size=4096 block_restart_interval=16 format_version=5 bloom_bits:filter_policy=-1
Table bool whole_key_filtering=true partition_index_and_filters:partition_filters=false
Table bool cache_index_and_filter_blocks=false pin_l0_filter_and_index_blocks_in_cache=false
tool int64 rate_limiter_bytes_per_sec=0 cache_size=8388608 num=1000000 reads=-1 writes=-1 deletes=-1 seed=0 key_size=16
tool int64 row_cache_size=0 value_size=100 threads=1 duration=0
tool string cache_type=lru_cache benchmarks=fillseq db=/tmp/fake options_file=
tool bool use_existing_db=false disable_wal=false statistics=false histogram=false
tool double compression_ratio=0.5
"""
_UNIVERSAL = {"size_ratio": "1", "min_merge_width": "2", "max_merge_width": "4294967295"}
_UNIVERSAL |= {"max_size_amplification_percent": "200", "compression_size_percent": "-1"}
_PRIORITIES = "kByCompensatedSize kOldestLargestSeqFirst kOldestSmallestSeqFirst kMinOverlappingRatio kRoundRobin"
_SPELLED = {
    "compaction_style": {"0": "kCompactionStyleLevel", "1": "kCompactionStyleUniversal"},
    "compaction_pri": {str(number): name for number, name in enumerate(_PRIORITIES.split())},
    "memtablerep": {"skip_list": "SkipListFactory", "vector": "{id=VectorRepFactory;count=0;}"},
}
_LOGGED = {"none": "NoCompression", "snappy": "Snappy", "zlib": "Zlib", "zstd": "ZSTD", "lz4": "LZ4", "lz4hc": "LZ4HC"}
_COMPRESSORS = {name: f"k{word}Compression" for name, word in _LOGGED.items()}
_COMPRESSORS |= {"none": "kNoCompression", "zstd": "kZSTD"}
# by compressor: time of a write, relative; size of a table file, relative to a value of ratio 1
_EFFORT = {"none": 1.0, "snappy": 1.05, "lz4": 1.04, "lz4hc": 1.6, "zlib": 1.7, "zstd": 1.25}
_WRITES = ("fillseq", "fillrandom", "filluniquerandom", "fillsync", "overwrite", "updaterandom")
_READS = ("readrandom", "readseq", "readmissing", "seekrandom", "readwhilewriting")
_MOST_FLUSHES = 400  # more of them are logged as fewer, larger ones, to stay fast
_LEVELS = 7
_MANIFEST = "MANIFEST-000005"
_TITLES = {"DB": "[DBOptions]", "CF": '[CFOptions "default"]', "Table": '[TableOptions/BlockBasedTable "default"]'}

Flags = dict[str, str]
Options = dict[str, dict[str, str]]


def install(folder: Path, behaviour: str = "") -> Path:
    """Write an executable ``db_bench`` into `folder`, misbehaving where the environment is silent; return its path."""
    here = Path(__file__).resolve()
    lines = (
        f"#!{sys.executable} -SE",
        "import os, sys",
        f"sys.path[0] = {str(here.parent)!r}",
        f"os.environ.setdefault({VARIABLE!r}, {behaviour!r})",
        f"from {here.stem} import main",
        "sys.exit(main(sys.argv[1:]))",
    )
    path = folder.absolute() / "db_bench"
    path.write_text("\n".join(lines) + "\n")
    path.chmod(0o755)
    return path


def main(arguments: list[str]) -> int:
    """Do what db_bench would do with `arguments`; return its exit code."""
    if "--help" in arguments:
        print(_help())
        return 1
    flags, wrong = _read_flags(arguments)
    if wrong:
        print(f"ERROR: unknown command line flag '{wrong}'", file=sys.stderr)
        return 1
    print(f"RocksDB:    version {VERSION}\nDate:       today\nCPU:        fake\nCPUCache:   0 KB", file=sys.stderr)
    words = _behaviour(flags, arguments)
    print("Keys:       16 bytes each\n------------------------------------------------")
    code = _misbehave(words, flags)
    return _Session(flags, words).run() if code is None else code


def _table() -> Iterator[tuple[str, str, str, str, str]]:
    for line in _OPTIONS.strip().splitlines():
        section, kind, *items = line.split()
        for item in items:
            names, _, default = item.partition("=")
            flag, _, key = names.partition(":")
            yield flag, kind, default, section, "-" if section == "tool" else key or flag


def _help() -> str:
    lines = ["db_bench: ", "USAGE:", "db_bench [OPTIONS]...", "", "  Flags from tools/db_bench_tool.cc:"]
    for flag, kind, default, *_ in _table():
        shown = f'"{default}"' if kind == "string" else default
        lines.append(f"    -{flag} (An option.) type: {kind} default: {shown}")
    return "\n".join(lines)


def _read_flags(arguments: list[str]) -> tuple[Flags, str]:
    """Return the value of every flag, and the first unknown one."""
    flags = {flag: default for flag, _, default, *_ in _table()}
    for argument in arguments:
        name, _, value = argument.lstrip("-").partition("=")
        if name not in flags:
            return flags, name
        flags[name] = value or "true"
    return flags, ""


def _on(flag: str) -> bool:
    return flag in ("1", "true")


def _behaviour(flags: Flags, arguments: list[str]) -> dict[str, str]:
    words = dict(word.partition("=")[::2] for word in os.environ.get(VARIABLE, "").split(",") if word)
    strikes = _on(flags["histogram"]) and words.get("when", "") in " ".join(arguments)
    return {name: value for name, value in words.items() if strikes or name == "noise"}


def _misbehave(words: Mapping[str, str], flags: Flags) -> int | None:
    """Do what `words` ask for; return the exit code, None to go on."""
    if "stubborn" in words:
        import signal

        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "child" in words and (child := os.fork()) == 0:
        _hang()
    elif "child" in words:
        Path(words["child"]).write_text(str(child))
    if "open-error" in words:
        print("open error: Invalid argument: the fake was told to fail", file=sys.stderr)
        return 1
    if "abort" in words:
        print("db_bench: fake.cc:1: int main(): Assertion `engine != nullptr' failed.", file=sys.stderr, flush=True)
        os.abort()
    if "garbage" in words:
        print("\x00\xff lorem ipsum COUNT : many\nfillrandom : nan")
        return 0
    if "grow" in words:
        with Path(flags["db"], "000001.sst").open("wb") as file:
            while file.write(bytes(1 << 20)):
                file.flush()
                time.sleep(0.02)
    return _hang() if "hang" in words else None


def _hang() -> NoReturn:
    sys.stdout.flush()
    time.sleep(3600)
    os._exit(1)


def _options(flags: Flags) -> Options:
    """Return what the engine makes of flags or of an OPTIONS file, by section and key."""
    sections: Options = {"DB": {}, "CF": {}, "Table": {}}
    from_file = flags["options_file"]
    for flag, kind, default, section, key in _table():
        if key != "-":
            sections[section][key] = _spelled(flag, kind, default if from_file else flags[flag])
    used = {} if from_file else flags
    level, dictionary = used.get("compression_level", "32767"), used.get("compression_max_dict_bytes", "0")
    sections["CF"]["compression_opts"] = f"{{level={level};max_dict_bytes={dictionary};}}"
    given = {key: used.get(f"universal_{key}", "0") for key in _UNIVERSAL}
    nested = (f"{key}={default if given[key] == '0' else given[key]};" for key, default in _UNIVERSAL.items())
    sections["CF"]["compaction_options_universal"] = "{" + "".join(nested) + "}"
    least = int(used.get("min_level_to_compress", "-1"))
    if least >= 0:
        compressor = sections["CF"]["compression"]
        levels = ["kNoCompression"] * least + [compressor] * (int(flags["num_levels"]) - least)
        sections["CF"]["compression_per_level"] = ":".join(levels)
    if from_file:
        _read_options(from_file, sections)
    _sanitise(sections["CF"])
    return sections


def _spelled(flag: str, kind: str, value: str) -> str:
    if flag == "bloom_bits":
        return f"bloomfilter:{value}:false" if int(value) > 0 else "nullptr"
    if flag in ("compression_type", "blob_compression_type"):
        return _COMPRESSORS.get(value, "kNoCompression")
    if kind == "double":
        return f"{float(value):.6f}"
    if kind == "bool":
        return "true" if _on(value) else "false"
    return _SPELLED.get(flag, {}).get(value, value)


def _read_options(path: str, sections: Options) -> None:
    names = {title: section for section, title in _TITLES.items()}
    section: dict[str, str] = {}
    for line in Path(path).read_text().splitlines():
        text = line.partition("#")[0].strip()
        if text.startswith("["):
            section = sections[names[text]] if text in names else {}
        elif "=" in text:
            key, _, value = text.partition("=")
            section[key] = value


def _sanitise(family: dict[str, str]) -> None:
    """Rewrite what RocksDB rewrites."""

    def put(key: str, rule: Callable[[int], int]) -> None:
        family[key] = str(rule(int(family[key])))

    put("write_buffer_size", lambda size: min(max(size, 1 << 16), 1 << 36))
    put("max_write_buffer_number", lambda number: max(number, 2))
    most = int(family["max_write_buffer_number"]) - 1
    put("min_write_buffer_number_to_merge", lambda number: min(max(number, 1), most))
    put("arena_block_size", lambda size: size or min(1 << 20, int(family["write_buffer_size"]) // 8))
    put("max_compaction_bytes", lambda size: size or 25 * int(family["target_file_size_base"]))
    put("level0_slowdown_writes_trigger", lambda n: max(n, int(family["level0_file_num_compaction_trigger"])))
    put("level0_stop_writes_trigger", lambda n: max(n, int(family["level0_slowdown_writes_trigger"])))
    hard = int(family["hard_pending_compaction_bytes_limit"])
    put("soft_pending_compaction_bytes_limit", lambda size: min(size, hard) or hard)
    ratio = min(float(family["memtable_prefix_bloom_size_ratio"]), 0.25)
    family["memtable_prefix_bloom_size_ratio"] = f"{ratio:.6f}"


class _Session:
    """One open database: what it holds, what was done, and a clock of its own that ends at the present."""

    def __init__(self, flags: Flags, words: Mapping[str, str]) -> None:
        self.flags, self.words = flags, words
        self.folder = Path(flags["db"])
        self.options = _options(flags)
        self.number = {name: int(flags[name]) for name in ("num", "key_size", "value_size", "threads", "seed")}
        self.pair_bytes = self.number["key_size"] + self.number["value_size"]
        self.operations = int(flags["writes"]) if int(flags["writes"]) >= 0 else self.number["num"]
        self.state: dict[str, int] = {"distinct": 0, "bytes": 0, "seed": 0, "file": 7}
        self.l0_bytes: list[int] = []
        self.pending_bytes = 0.0
        self.count = dict.fromkeys(("written", "read", "flushed", "compacted", "sst_reads", "jobs"), 0)
        self.clock_s = 0.0
        self.log: list[tuple[float, str]] = []

    def run(self) -> int:
        """Run the benchmarks; return the exit code."""
        known: dict[str, Callable[[str], None]] = dict.fromkeys((*_WRITES, *_READS), self._measure)
        known |= {"flush": self._flush_by_hand, "waitforcompaction": self._wait, "compact": self._wait}
        known |= {"levelstats": lambda _: None, "stats": self._stats}
        self._open()
        self._sleep(float(self.words.get("sleep", "0")))
        for phase in self.flags["benchmarks"].split(","):
            if phase not in known:
                print(f"unknown benchmark '{phase}'", file=sys.stderr)
                return 1
            known[phase](phase)
        if _on(self.flags["statistics"]):
            self._statistics()
        if "failed-job" in self.words:
            self._event("[ERROR] Waiting after background compaction error: IO error: the fake was told to fail")
        self._close()
        return 0

    def _open(self) -> None:
        if _on(self.flags["use_existing_db"]):
            if self.flags["benchmarks"].startswith("fill"):
                print("db_bench: Assertion `!FLAGS_use_existing_db' failed.", file=sys.stderr, flush=True)
                os.abort()
            try:
                lines = (self.folder / _MANIFEST).read_text().splitlines()
            except FileNotFoundError:
                print("open error: Invalid argument: does not exist (create_if_missing is false)", file=sys.stderr)
                raise SystemExit(1) from None
            self.state = {name: int(value) for name, _, value in (line.partition("=") for line in lines)}
        else:
            self.folder.mkdir(exist_ok=True)
            for path in self.folder.iterdir():
                path.unlink()
        self.state["file"] += 4
        lines = ["[Version]", "  rocksdb_version=" + VERSION, "  options_file_version=1.1"]
        for section, title in _TITLES.items():
            lines += ["", title, *(f"  {key}={value}" for key, value in self.options[section].items())]
        self._put(f"OPTIONS-{self.state['file']:06d}", "\n".join(lines) + "\n")

    def _close(self) -> None:
        """Write LOG, MANIFEST and tables; the last event happened just now."""
        for number, size_bytes in enumerate(size for size in self._sizes() if size):
            self._put(f"{number + 100:06d}.sst", "")
            os.truncate(self.folder / f"{number + 100:06d}.sst", size_bytes)
        self._put(_MANIFEST, "".join(f"{name}={value}\n" for name, value in self.state.items()))
        start_s = time.time() - self.clock_s
        lines = [f"{_stamp(start_s)} 1 RocksDB version: {VERSION}"]
        for after_s, text in self.log:
            event = f'EVENT_LOG_v1 {{"time_micros": {int((start_s + after_s) * 1e6)}, {text}}}'
            lines.append(f"{_stamp(start_s + after_s)} 1 {event if text[0] == chr(34) else text}")
        self._put("LOG", "\n".join(lines) + "\n")

    def _put(self, name: str, text: str) -> None:
        (self.folder / name).unlink(missing_ok=True)  # it may be a hard link
        (self.folder / name).write_text(text)

    def _sleep(self, seconds: float) -> None:
        parts = max(1, int(seconds / 0.05))
        for part in range(1, parts + 1):
            time.sleep(seconds / parts)
            print(f"... finished {self.operations * part // parts} ops", end="\r", file=sys.stderr, flush=True)

    def _measure(self, name: str) -> None:
        writes, keys = name in _WRITES, self.number["num"]
        operations = self.operations * self.number["threads"]
        micros = self._micros(name)
        if int(self.flags["duration"]) and name not in ("fillseq", "filluniquerandom"):
            operations = int(int(self.flags["duration"]) * 1e6 / micros) * self.number["threads"]
        seconds = max(operations * micros / 1e6 / self.number["threads"], 1e-3)
        began_s, found = self.clock_s, ""
        if writes or name == "readwhilewriting":
            draws = operations if writes else operations // 10
            in_order = name in ("fillseq", "filluniquerandom")
            left = (1 - 1 / keys) ** draws if not in_order else max(0.0, 1 - draws / keys)
            self.state["distinct"] = round(keys - (keys - min(self.state["distinct"], keys)) * left)
            self.state["seed"] = self.number["seed"] if not in_order else 0
            self._write(draws, seconds)
        if not writes:
            known = self.state["seed"] and self.state["seed"] == self.number["seed"]
            share = 0.0 if name == "readmissing" else 1.0 if known else min(1.0, self.state["distinct"] / keys)
            found = f" ({round(share * operations)} of {operations} found)"
            self.count["read"] += operations
            self.count["sst_reads"] += round(operations * (1.1 if self._filtered() else 2.5))
        self.clock_s = began_s + seconds
        rate = f"{micros:11.3f} micros/op {operations / seconds:.0f} ops/sec {seconds:.3f} seconds"
        mib_s = operations * self.pair_bytes / seconds / 2**20
        print(f"{name:<12} : {rate} {operations} operations; {mib_s:6.1f} MB/s{found}")
        self._histogram("write" if writes else "read", operations, micros)

    def _histogram(self, kind: str, count: int, micros: float) -> None:
        tails = (("P50", 0.8), ("P75", 1.0), ("P99", 4.0), ("P99.9", 12.0), ("P99.99", 40.0))
        percentiles = " ".join(f"{name}: {micros * factor:.2f}" for name, factor in tails)
        print(f"Microseconds per {kind}:\nCount: {count} Average: {micros:.4f}  StdDev: {micros:.2f}")
        print(f"Min: 0  Median: {micros * 0.8:.4f}  Max: {round(micros * 90)}\nPercentiles: {percentiles}\n")

    def _micros(self, name: str) -> float:
        """Return the time of one operation, noise included."""
        from math import exp, log2
        from random import Random

        noise = exp(float(self.words.get("noise", "0.02")) * Random(f"{self.number['seed']} {name}").gauss(0, 1))
        if name not in _WRITES:
            return noise * (1.4 if self._filtered() else 2.0)
        flushes = max(1.0, self.number["num"] * self.pair_bytes / int(self.options["CF"]["write_buffer_size"]))
        jobs = min(8, max(1, int(self.options["DB"]["max_background_jobs"])))
        return noise * 5.0 * (1 + 0.05 * log2(flushes)) * _EFFORT[self._compressor()] * (1.2 - 0.1 * log2(jobs))

    def _filtered(self) -> bool:
        return self.options["Table"]["filter_policy"] != "nullptr"

    def _compressor(self) -> str:
        return next(name for name, spelled in _COMPRESSORS.items() if spelled == self.options["CF"]["compression"])

    def _write(self, draws: int, seconds: float) -> None:
        """Flush what was written in equal parts, and compact whenever level 0 is full."""
        self.count["written"] += draws
        memory = int(self.options["CF"]["write_buffer_size"])
        flushes = min(_MOST_FLUSHES, draws * self.pair_bytes // memory)
        shrink = 1.0 if self._compressor() == "none" else 0.04 + 0.96 * float(self.flags["compression_ratio"])
        table_bytes = round(draws * self.pair_bytes * shrink * 0.99 / max(1, flushes))
        self.pending_bytes = draws * self.pair_bytes * shrink - flushes * table_bytes
        for _ in range(flushes):
            self.clock_s += seconds / (flushes + 1)
            self._flush(table_bytes, "Write Buffer Full")
            if len(self.l0_bytes) >= int(self.options["CF"]["level0_file_num_compaction_trigger"]):
                self._compact()

    def _flush(self, table_bytes: int, reason: str) -> None:
        self.count["jobs"] += 1
        job = f'"job": {self.count["jobs"]}, "event":'
        self._event(f'{job} "flush_started", "num_memtables": 1, "num_entries": 1, "flush_reason": "{reason}"')
        self._table(table_bytes)
        self.count["flushed"] += table_bytes
        self.l0_bytes.append(table_bytes)
        self._event(f'{job} "flush_finished", "lsm_state": {self._levels()}, "immutable_memtables": 0')

    def _compact(self) -> None:
        """Merge level 0 into a sorted run that grows with the distinct keys."""
        self.count["jobs"] += 1
        job = f'"job": {self.count["jobs"]}, "event":'
        taken = sum(self.l0_bytes)
        read = taken + min(self.state["bytes"], taken * 2)
        written = read * 95 // 100
        self._event(f'{job} "compaction_started", "compaction_reason": "LevelL0FilesNum", "input_data_size": {read}')
        self.state["bytes"] += taken * 9 // 10
        self.l0_bytes.clear()
        self._table(written)
        self.count["compacted"] += written
        self.clock_s += 1e-4
        done = f'"output_level": 1, "total_output_size": {written}, "lsm_state": {self._levels()}'
        self._event(f'{job} "compaction_finished", {done}')

    def _table(self, size_bytes: int) -> None:
        self.state["file"] += 1
        table = f'"file_size": {size_bytes}, "table_properties": {{"compression": "{_LOGGED[self._compressor()]}"}}'
        self._event(f'"job": {self.count["jobs"]}, "event": "table_file_creation", {table}')

    def _event(self, text: str) -> None:
        """Log what happens now: the inside of an event, or a line of its own."""
        self.log.append((self.clock_s, text))

    def _levels(self) -> list[int]:
        populated = min(2, self.state["bytes"] // max(1, int(self.options["CF"]["max_bytes_for_level_base"])))
        deep = [int(self.state["bytes"] > 0), *(int(level <= populated) for level in range(1, _LEVELS - 1))]
        return [len(self.l0_bytes), *deep]

    def _flush_by_hand(self, _name: str) -> None:
        self._event("[db/db_impl/db_impl_compaction_flush.cc:1746] [default] Manual flush start.")
        self.clock_s += 0.01
        if self.pending_bytes >= 1:
            self._flush(int(self.pending_bytes), "Manual Flush")
            self.pending_bytes = 0.0
        print("flush memtable")
        if "hang-late" in self.words:
            self._close()
            _hang()
        if len(self.l0_bytes) > 1:
            self.clock_s += 0.05 * len(self.l0_bytes)
            self._compact()

    def _wait(self, _name: str) -> None:
        print(f"waitforcompaction({self.folder}): started")
        print(f"waitforcompaction({self.folder}): finished")

    def _sizes(self) -> list[int]:
        files = self._levels()
        deep = sum(files[1:]) or 1
        return [sum(self.l0_bytes), *(self.state["bytes"] // deep * count for count in files[1:])]

    def _stats(self, _name: str) -> None:
        print("\n\n** Compaction Stats [default] **\nLevel    Files   Size     Score Write(GB) W-Amp\n" + "-" * 50)
        rows = [(f"L{n}", *row) for n, row in enumerate(zip(self._levels(), self._sizes(), strict=True)) if row[0]]
        for name, files, size in (*rows, ("Sum", sum(self._levels()), sum(self._sizes()))):
            amplification = (self.count["flushed"] + self.count["compacted"]) / (self.count["flushed"] or 1)
            print(f"{name:>4} {files:6}/0 {size / 1024:8.2f} KB   0.0 0.0 {amplification:.1f}")
        print("\nStalls(count): 0 level0_slowdown, 0 level0_numfiles, 0 stop for pending_compaction_bytes, ", end="")
        print("0 slowdown for pending_compaction_bytes, 0 memtable_compaction, 0 memtable_slowdown, interval 0 total")
        print(
            "Cumulative stall: 00:00:0.000 H:M:S, 0.0 percent\n\n** File Read Latency Histogram By Level [default] **"
        )
        print("".join(f"({10 * n:8}, {10 * n + 10:8} ] {n:8}   0.000%   0.000% \n" for n in range(60)))

    def _statistics(self) -> None:
        written, read = self.count["written"], self.count["read"]
        wal = 0 if _on(self.flags["disable_wal"]) else written * (self.pair_bytes + 15)
        stopped, passed = (read // 3, read // 2) if self._filtered() else (0, 0)
        filters = {"useful": stopped, "full.positive": passed, "full.true.positive": passed - passed // 100}
        tickers = {"number.keys.written": written, "number.keys.read": read, "wal.bytes": wal, "stall.micros": 0}
        tickers |= {"bytes.written": written * (self.pair_bytes + 15), "flush.write.bytes": self.count["flushed"]}
        tickers |= {"compact.write.bytes": self.count["compacted"], "block.cache.hit": read // 2}
        tickers |= {"block.cache.miss": read - read // 2}
        tickers |= {f"bloom.filter.{name}": value for name, value in filters.items()}
        print("STATISTICS:")
        for name, value in tickers.items():
            print(f"rocksdb.{name} COUNT : {value}")
        counted = f"COUNT : {self.count['sst_reads']} SUM : {self.count['sst_reads']}"
        print(f"rocksdb.sst.read.micros P50 : 0.5 P95 : 0.9 P99 : 1.7 P100 : 67.0 {counted}")


def _stamp(time_s: float) -> str:
    return time.strftime("%Y/%m/%d-%H:%M:%S", time.localtime(time_s)) + f".{int(time_s * 1e6) % 1000000:06d}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
