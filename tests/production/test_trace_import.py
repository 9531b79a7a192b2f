"""The experiment from a trace: what is inferred from what db_bench recorded is what ran, and it replays."""

import math
import random
import re
import subprocess
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from trace_builders import END, get, header, put, seek, write

from lsmtune import api
from lsmtune.backends.rocksdb import QueryKind, find_db_bench
from lsmtune.errors import UsageError
from lsmtune.experiment import parse_experiment
from lsmtune.production import read_trace
from lsmtune.production._trace_fits import fit_rate
from lsmtune.production._trace_keys import fit_popularity
from lsmtune.production._trace_profile import Bins, KeyCounts
from lsmtune.production._trace_ranges import fit_ranges

TENTH = 0.1
NUM = 20_000
MIXED_NUM = 100_000
"""So that the numbers of which mixgraph draws are many: sizes, keys and kinds all come from one of them."""


def recorded(folder: Path, benchmark: str, *words: str, data: bool = True, num: int = NUM) -> tuple[Path, str]:
    """A trace of db_bench, and what it printed."""
    program, path = str(find_db_bench()), folder / "trace"
    common = [program, f"--db={folder / 'db'}", f"--num={num}", "--seed=5", *words]
    if data:
        subprocess.run([*common, "--benchmarks=filluniquerandom"], check=True, capture_output=True, timeout=300)
        common.append("--use_existing_db=1")
    argv = [*common, f"--benchmarks={benchmark}", f"--trace_file={path}"]
    done = subprocess.run(argv, check=True, capture_output=True, text=True, timeout=300)
    return path, done.stdout


def tables(text: str, folder: Path) -> dict[str, Any]:
    """The tables of an experiment that lsmtune takes."""
    parse_experiment(text, folder / "trace.toml")
    return tomllib.loads(text)


def shares(path: Path) -> dict[str, float]:
    """What a trace is compared by: kinds, sizes, and how much the most popular keys have."""
    profile = read_trace(path)
    ranked = sorted(profile.keys.counts.values(), reverse=True)
    sizes = sorted(profile.value_sizes.counts.elements())
    return {
        "gets": profile.gets / profile.operations,
        "puts": profile.puts / profile.operations,
        "seeks": profile.seeks / profile.operations,
        "key": profile.key_sizes.mean,
        "value": profile.value_sizes.mean,
        "median value": sizes[len(sizes) // 2],
        "top 10 keys": sum(ranked[:10]) / profile.operations,
        "top 200 keys": sum(ranked[:200]) / profile.operations,
        "top 2000 keys": sum(ranked[:2000]) / profile.operations,
    }


def test_a_random_fill_is_inferred_within_a_tenth(tmp_path: Path) -> None:
    path, _ = recorded(tmp_path, "fillrandom", "--value_size=300", "--key_size=24", data=False)
    text = api.import_trace(path)
    workload = tables(text, tmp_path)["workload"]
    assert (workload["key_size"], workload["value_size"]) == (24, 300)
    assert workload["operations"] == NUM
    assert workload["num"] == pytest.approx(NUM, rel=TENTH)
    assert workload["compression_ratio"] == pytest.approx(0.5, rel=TENTH)
    assert workload["flags"]["mix_put_ratio"] == 1.0
    assert "key_dist_a" not in workload["flags"] or workload["flags"]["key_dist_b"] > 0.8


def test_a_fill_in_order_is_told_from_one_at_random(tmp_path: Path) -> None:
    path, _ = recorded(tmp_path, "fillseq", data=False)
    workload = tables(api.import_trace(path), tmp_path)["workload"]
    assert (workload["benchmarks"], workload["num"]) == ("fillseq", NUM)
    assert "load" not in workload


def test_the_shares_of_reads_and_writes_are_those_that_ran(tmp_path: Path) -> None:
    path, _ = recorded(tmp_path, "readrandomwriterandom", "--readwritepercent=70", "--value_size=180")
    flags = tables(api.import_trace(path, num=NUM), tmp_path)["workload"]["flags"]
    assert flags["mix_get_ratio"] == pytest.approx(0.7, rel=TENTH)
    assert flags["mix_put_ratio"] == pytest.approx(0.3, rel=TENTH)
    assert flags["value_theta"] == 180
    assert flags["mix_seek_ratio"] == 0


def test_the_rate_is_what_db_bench_printed(tmp_path: Path) -> None:
    pairs_a_second, pair_bytes = 20_000, 116
    path, out = recorded(
        tmp_path, "fillrandom", f"--benchmark_write_rate_limit={pairs_a_second * pair_bytes}", data=False
    )
    printed = re.search(r"^fillrandom .* (\d+) ops/sec", out, re.MULTILINE)
    assert printed is not None
    text = api.import_trace(path, hold_rate=True)
    table = tables(text, tmp_path)
    assert table["workload"]["flags"]["sine_d"] == pytest.approx(float(printed[1]), rel=TENTH)
    assert table["workload"]["flags"]["sine_a"] >= 1, "below 1 mixgraph divides by zero"
    assert table["objective"] == {"latency_p99_s": 1}


POWER = ("--key_dist_a=0.01017", "--key_dist_b=0.3985")
PARETO = ("--value_k=0.2615", "--value_sigma=60", "--mix_max_value_size=4096")
RANGES = (
    *("--keyrange_num=5", "--keyrange_dist_a=0.9", "--keyrange_dist_b=-0.8", "--keyrange_dist_c=0.02"),
    *("--keyrange_dist_d=-0.05", "--key_dist_a=0.0156", "--key_dist_b=0.42"),
)


@pytest.mark.parametrize(("law", "ranges"), [(POWER, 1), (RANGES, 5), ((), None)])
def test_what_is_inferred_from_mixgraph_asks_for_the_same_again(
    tmp_path: Path, law: tuple[str, ...], ranges: int | None
) -> None:
    mix = ("--mix_get_ratio=0.6", "--mix_put_ratio=0.3", "--mix_seek_ratio=0.1", *PARETO, *law)
    ran, _ = recorded(tmp_path, "mixgraph", "--reads=40000", "--key_size=20", *mix, num=MIXED_NUM)
    workload = tables(api.import_trace(ran, num=MIXED_NUM, scan_length=12), tmp_path)["workload"]
    assert workload["load"] == "filluniquerandom"
    assert workload["flags"].get("keyrange_num") == ranges
    given = [f"--{flag}={value}" for flag, value in workload["flags"].items()]
    (tmp_path / "again").mkdir()
    sizes = (f"--reads={workload['operations']}", f"--key_size={workload['key_size']}")
    again, printed = recorded(tmp_path / "again", "mixgraph", *sizes, *given, num=MIXED_NUM)
    told = re.search(r"reads (\d+) in (\d+) found, .* ([\d.]+) scan\)", printed)
    assert told is not None
    assert told[1] == told[2], "keys below 0, which mixgraph draws without ranges, are not there"
    assert float(told[3]) == pytest.approx(12, rel=0.01)
    expected = shares(ran)
    assert shares(again) == {name: pytest.approx(value, rel=TENTH, abs=0.01) for name, value in expected.items()}


def test_ranges_of_keys_are_those_that_ran(tmp_path: Path) -> None:
    ran, _ = recorded(tmp_path, "mixgraph", "--reads=40000", *RANGES, num=MIXED_NUM)
    flags = tables(api.import_trace(ran, num=MIXED_NUM), tmp_path)["workload"]["flags"]
    given = dict(word.removeprefix("--").split("=") for word in RANGES)

    def hottest(of: dict[str, Any]) -> list[float]:
        number, *law = (float(of[f"keyrange_{name}"]) for name in ("num", "dist_a", "dist_b", "dist_c", "dist_d"))
        a, b, c, d = law
        found = [a * math.exp(b * x) + c * math.exp(d * x) for x in range(1, 1 + int(number))]
        return [each / sum(found) for each in found]

    assert (flags["keyrange_num"]) == 5
    assert hottest(flags) == pytest.approx(hottest(given), rel=TENTH, abs=0.01)


def test_a_rate_that_swings_is_a_sine() -> None:
    bins, count, at = Bins(), 0, 0.0
    while at < 60:
        bins.add(int(at * 1e6))
        count += 1
        at += 1 / (500 + 300 * math.sin(0.4 * at + 1))
    rate = fit_rate(bins, count, 60)
    assert rate is not None
    assert rate.mean == pytest.approx(500, rel=TENTH)
    assert rate.amplitude == pytest.approx(300, rel=TENTH)
    assert rate.frequency == pytest.approx(0.4, rel=TENTH)
    assert rate.phase == pytest.approx(1, abs=0.2)


def test_a_rate_that_is_chance_alone_is_constant() -> None:
    bins, draw = Bins(), random.Random(4)
    times = sorted(draw.uniform(0, 60) for _ in range(30_000))
    for at in times:
        bins.add(int(at * 1e6))
    rate = fit_rate(bins, len(times), 60)
    assert rate is not None
    assert rate.amplitude == 0
    assert rate.mean == pytest.approx(500, rel=0.01)


@pytest.mark.parametrize("stops", [[(20, 30)], [(5, 10), (41, 42)], [(0, 12)], [(50, 60)]])
def test_a_rate_with_stops_is_constant(stops: list[tuple[int, int]]) -> None:
    bins = Bins()
    times = [number / 500 for number in range(30_000)]
    kept = [at for at in times if not any(start <= at < end for start, end in stops)]
    for at in kept:
        bins.add(int(at * 1e6))
    rate = fit_rate(bins, len(kept), 60)
    assert rate is not None
    assert rate.amplitude == 0
    assert rate.mean == pytest.approx(len(kept) / 60, rel=0.01)


def drawn(keys: int, exponent: float, queries: int, seed: int = 1) -> list[bytes]:
    """Keys that have the law of mixgraph, wherever they lie."""
    draw = random.Random(seed)
    places = list(range(keys))
    draw.shuffle(places)
    return [b"user%08d" % places[int(keys * draw.random() ** (1 / exponent))] for _ in range(queries)]


def counted(asked: list[bytes], most: int = 1 << 20) -> KeyCounts:
    counts = KeyCounts(most)
    for key in asked:
        counts.add(key, QueryKind.GET)
    return counts


@pytest.mark.parametrize(
    ("exponent", "most"), [(0.3, 1 << 20), (0.6, 1 << 20), (1.0, 1 << 20), (0.3, 2000), (0.6, 2000)]
)
def test_the_skew_of_keys_is_found_in_whole_and_in_a_sample(exponent: float, most: int) -> None:
    keys = counted(drawn(20_000, exponent, 100_000), most)
    found = fit_popularity(keys)
    assert (keys.share < 1) == (most == 2000)
    assert len(keys.counts) <= most
    assert found.exponent == pytest.approx(exponent, rel=TENTH)
    assert found.keys == pytest.approx(20_000, rel=0.2)


def test_hot_keys_that_lie_anywhere_are_no_hot_ranges() -> None:
    assert fit_ranges(counted(drawn(5_000, 0.4, 50_000)), 5_000) is None


def test_a_sample_of_keys_has_the_hot_ones_and_stands_for_all() -> None:
    asked = drawn(20_000, 0.3, 100_000)
    keys = counted(asked, 2000)
    true = Counter(asked)
    listed = {each.key: each for each in keys.listed()}
    for key, count in true.most_common(50):
        assert listed[key].weight == 1
        assert listed[key].queries == pytest.approx(count, rel=0.07)
    assert len(keys.counts) <= 2000
    assert keys.number == pytest.approx(len(true), rel=TENTH)
    assert sum(each.queries * each.weight for each in listed.values()) == pytest.approx(len(asked), rel=TENTH)


def test_a_rate_that_builds_with_assertions_cannot_hold_is_told(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    for pause, told in ((900, False), (1100, True)):
        path.write_bytes(header() + b"".join(get(b"k%04d" % each, each * pause) for each in range(1500)) + END)
        text = api.import_trace(path, hold_rate=True)
        assert ("# Below 1,000 reads or writes in a second a build with assertions" in text) == told


def test_a_larger_database_shrinks_by_scale_and_runs_long_enough(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    asked = drawn(20_000, 0.4, 30_000)
    queries = [write(put(key, b"v" * 400), micros=100 * at) for at, key in enumerate(asked)]
    path.write_bytes(b"".join([header(), *queries, END]))
    small, large = (tables(api.import_trace(path, num=num), tmp_path) for num in (20_000, 64_000_000))
    assert (small["scale"], large["scale"]) == ("1", "1/64")
    assert (small["workload"]["operations"], large["workload"]["operations"]) == (30_000, 64_000_000)

    law = large["workload"]["flags"]
    asked_for = law["key_dist_a"] ** (-1 / law["key_dist_b"])
    assert asked_for == pytest.approx(20_000 / 64, rel=0.2)


def test_deletions_merges_and_column_families_are_told(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    delete, merge = bytes([0, 1]) + b"a", bytes([2, 1]) + b"b" + bytes([2]) + b"+1"
    queries = [write(put(b"k%04d" % each, b"v" * 50, family=each % 2 * 3), delete, merge) for each in range(500)]
    path.write_bytes(b"".join([header(), *queries, seek(b"k", upper=b"l"), END]))
    text = api.import_trace(path)
    assert "1,500 writes, 500 deletions and 500 merges among them, which mixgraph does not have" in text
    assert "# Column families by id, as a trace has no names: 0 83.3%, 3 16.7%." in text
    assert "iter_theta = 10                     # GUESS: a trace does not tell how far iterators go; " in text
    assert "; 1 seeks have an upper bound" in text


def test_a_damaged_tail_is_left_out_and_said(tmp_path: Path) -> None:
    path, _ = recorded(tmp_path, "fillrandom", data=False)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    text = api.import_trace(path)
    assert "# The trace is DAMAGED at byte " in text
    assert tables(text, tmp_path)["workload"]["operations"] == pytest.approx(NUM / 2, rel=0.01)
    with pytest.raises(
        UsageError, match=r"cannot be replayed, as it is damaged at byte \d+: a record stops in the mid"
    ):
        api.import_trace(path, replay=True)


def test_a_trace_that_still_grows_is_used_and_said(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes(header() + b"".join(get(b"k%04d" % each, each) for each in range(1200)))
    assert "# The trace has no end: recording was cut off, or goes on." in api.import_trace(path)


def test_a_trace_without_queries_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes(header() + END)
    with pytest.raises(UsageError, match="holds no query; record a longer one"):
        api.import_trace(path)


def test_what_a_replay_takes_from_the_trace_cannot_be_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a replay takes keys, scans and pace from the trace"):
        api.import_trace(tmp_path / "trace", replay=True, hold_rate=True)
    with pytest.raises(UsageError, match="num is 0; write 1 or more"):
        api.import_trace(tmp_path / "trace", num=0)


def test_a_replay_is_an_experiment_that_names_the_trace(tmp_path: Path) -> None:
    path, _ = recorded(tmp_path, "readrandomwriterandom", "--readwritepercent=50", data=False)
    text = api.import_trace(path, replay=True)
    table = tables(text, tmp_path)
    assert table["workload"]["benchmarks"] == "replay"
    assert table["workload"]["flags"]["trace_file"] == str(path)
    assert table["workload"]["flags"]["num_column_families"] == 2
    assert table["workload"]["operations"] == NUM
    assert "of the look-ups are of keys that the trace has not written before" in text
