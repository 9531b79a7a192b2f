"""Canaries against controls: what the change did, and what cannot be compared."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path

import pytest
from rich.console import Console

import lsmtune
from lsmtune.cli.check import _moment
from lsmtune.errors import UsageError
from lsmtune.production import Canary, Effect, canary_card, canary_json, compare_canaries

DATA = Path(__file__).parent / "data" / "canaries"
BEGIN_S = datetime(2026, 11, 1, tzinfo=UTC).timestamp()
CUT_S = 3600.0
COST = "bytes of flushes and compactions per byte of users"
SIZE = "size of all tables"
TIME = "time of compactions per GB of users"
STALLED = "share of the time in which writes were slowed down or stopped"


def stamp(after_s: float) -> str:
    return datetime.fromtimestamp(BEGIN_S + after_s, UTC).strftime("%Y/%m/%d-%H:%M:%S.000000")


def head(after_s: float, buffer: int, session: str) -> str:
    return (
        f"{stamp(after_s)} 9 RocksDB version: 7.8.3\n"
        f"{stamp(after_s)} 9 DB Session ID:  {session}\n"
        f"{stamp(after_s)} 9         Options.max_background_jobs: 4\n"
        f"{stamp(after_s)} 9         Options.env: 0x{round(after_s) + 17:x}\n"  # points into memory, and says nothing
        f"{stamp(after_s)} 9 --------------- Options for column family [default]:\n"
        f"{stamp(after_s)} 9         Options.write_buffer_size: {buffer}\n"
        f"{stamp(after_s)} 9 DB pointer 0x55d2631f3380\n"
    )


def dump(after_s: float, up_s: float, cost: float, stalled: float, size_mb: float = 100.0) -> str:
    """A dump of a database that took 1 GB of its users in each 1000 s, behind the files that were written since."""
    gb = up_s / 1000
    return (
        f'{stamp(after_s)} 9 EVENT_LOG_v1 {{"cf_name": "default", "job": 3, "event": "table_file_creation", '
        f'"file_size": {round(1000 / 1000 * cost * 2**30)}}}\n'
        f"{stamp(after_s)} 9 ------- DUMPING STATS -------\n"
        "** DB Stats **\n"
        f"Uptime(secs): {up_s:.1f} total, 600.0 interval\n"
        f"Cumulative writes: 42K writes, 42K keys, 42K commit groups, 1.0 writes per group, ingest: {gb:.2f} GB, "
        "1 MB/s\n"
        f"Cumulative stall: 00:00:{up_s * stalled:.3f} H:M:S, {stalled * 100:.1f} percent\n"
        "** Compaction Stats [default] **\n"
        "Level    Files   Size     Score Write(GB) W-Amp Comp(sec)\n"
        f"  L0      3/1   {size_mb:.2f} MB   0.8  {gb * cost:.1f}   1.0  {gb * cost * 9:.2f}\n"
        f" Sum      3/1   {size_mb:.2f} MB   0.8  {gb * cost:.1f}   1.0  {gb * cost * 9:.2f}\n"
    )


def instance(
    folder: Path,
    before: float,
    after: float,
    buffers: tuple[int, int] = (64, 64),
    stalled: tuple[float, float] = (0, 0),
) -> Path:
    """An instance that wrote `before`, then `after` times what its users wrote, opened anew in between."""
    folder.mkdir()
    parts = [head(0, buffers[0], "A"), *(dump(up, up, before, stalled[0]) for up in (1000, 2000, 3000))]
    parts += [head(CUT_S, buffers[1], "B"), *(dump(CUT_S + up, up, after, stalled[1]) for up in (1000, 2000, 3000))]
    (folder / "LOG").write_text("".join(parts))
    return folder


def three(folder: Path, name: str, factor: float, buffers: tuple[int, int]) -> list[Path]:
    costs = ((6.0, 1.0), (7.0, 1.02), (5.0, 0.98))
    return [
        instance(folder / f"{name}-{number}", cost, cost * factor * noise, buffers)
        for number, (cost, noise) in enumerate(costs)
    ]


def effect(canary: Canary, figure: str = COST) -> Effect:
    return next(each for each in canary.effects if each.figure == figure)


def test_what_canaries_save_is_shown_with_its_interval(tmp_path: Path) -> None:
    canary = compare_canaries(three(tmp_path, "canary", 0.7, (64, 128)), three(tmp_path, "control", 1.0, (64, 64)))
    found = effect(canary)
    estimate, low, high = found.estimate
    assert estimate == pytest.approx(0.7, rel=1e-3)
    assert low < 0.7 < high < 1
    assert found.verdict == "better"
    assert [round(each, 2) for each in found.canaries] == [0.70, 0.71, 0.69]
    assert canary.canaries[0].before.ingest_gb == pytest.approx(3)
    assert canary.canaries[0].after.files_gb == pytest.approx(3 * 6 * 0.7)
    assert effect(canary, SIZE).verdict == effect(canary, STALLED).verdict == "open"


def test_a_log_that_was_rolled_does_not_begin_at_zero(tmp_path: Path) -> None:
    canaries, controls = three(tmp_path, "canary", 0.7, (64, 128)), three(tmp_path, "control", 1.0, (64, 64))
    long_open = "".join(dump(up, 100_000 + up, 6.0, 0) for up in (1000, 2000, 3000))
    opened = "".join(dump(CUT_S + up, up, 4.2, 0) for up in (1000, 2000, 3000))
    (canaries[0] / "LOG").write_text(head(0, 64, "A") + long_open + head(CUT_S, 128, "B") + opened)
    canary = compare_canaries(canaries, controls)
    assert canary.canaries[0].before.ingest_gb == pytest.approx(2), "from the first of its dumps to the last"
    assert canary.canaries[0].after.ingest_gb == pytest.approx(3)
    assert [round(each, 2) for each in effect(canary).canaries] == [0.70, 0.71, 0.69]


def test_what_happens_to_all_cancels_out(tmp_path: Path) -> None:
    canary = compare_canaries(three(tmp_path, "canary", 1.5, (64, 128)), three(tmp_path, "control", 1.5, (64, 64)))
    assert effect(canary).estimate[0] == pytest.approx(1)
    assert {each.verdict for each in canary.effects} == {"open"}


def test_stalls_are_compared_as_shares_of_the_time(tmp_path: Path) -> None:
    shares = ((0.001, 0.011), (0.002, 0.012), (0.001, 0.0105))
    canaries = [instance(tmp_path / f"canary-{number}", 6, 6, (64, 128), share) for number, share in enumerate(shares)]
    canary = compare_canaries(canaries, three(tmp_path, "control", 1.0, (64, 64)))
    found = effect(canary, STALLED)
    assert found.canaries == pytest.approx((0.01, 0.01, 0.0095))
    assert found.verdict == "worse"


def test_one_instance_of_each_has_no_interval_and_shows_nothing(tmp_path: Path) -> None:
    canary = compare_canaries([instance(tmp_path / "a", 6, 3, (64, 128))], [instance(tmp_path / "b", 6, 6)])
    assert effect(canary).estimate[0] == pytest.approx(0.5)
    assert effect(canary).verdict == "open"
    assert canary_json(canary)["effects"][0]["high"] is None


def test_the_time_of_the_change_can_be_said(tmp_path: Path) -> None:
    paths = [instance(tmp_path / "a", 6, 3), instance(tmp_path / "b", 6, 6)]
    canary = compare_canaries(paths[:1], paths[1:], since_s=BEGIN_S + CUT_S)
    assert effect(canary).estimate[0] == pytest.approx(0.5)


@pytest.mark.parametrize("zone", [None, UTC, timezone(timedelta(hours=2))])
def test_the_time_of_the_change_is_that_of_the_logs_unless_it_says_otherwise(
    tmp_path: Path, zone: tzinfo | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "CET-1")
    time.tzset()
    paths = [instance(tmp_path / "a", 6, 3), instance(tmp_path / "b", 6, 6)]
    since = datetime.fromtimestamp(BEGIN_S + CUT_S, zone or UTC)
    naive = since.replace(tzinfo=None) if zone is None else since
    canary = lsmtune.compare_canaries(paths[:1], paths[1:], since=naive)
    assert effect(canary).estimate[0] == pytest.approx(0.5)
    assert _moment(naive.isoformat()) == since
    monkeypatch.undo()
    time.tzset()


def test_an_hour_that_comes_twice_counts_on_one_side_alone(tmp_path: Path) -> None:
    """The clock is set back from after the change to before it, as where daylight saving ends."""
    paths = [instance(tmp_path / "a", 6, 3, (64, 128)), instance(tmp_path / "b", 6, 6)]
    for path, cost in zip(paths, (3.0, 6.0), strict=True):
        again = "".join(dump(CUT_S + up - 3600, up, cost, 0) for up in (3500, 4000, 7000))
        (path / "LOG").write_text((path / "LOG").read_text() + again)
    canary = compare_canaries(paths[:1], paths[1:], since_s=BEGIN_S + CUT_S)
    for each in (*canary.canaries, *canary.controls):
        assert (each.before.ingest_gb, each.after.ingest_gb) == pytest.approx((3, 7))


def test_a_dump_across_the_change_counts_on_neither_side(tmp_path: Path) -> None:
    paths = [instance(tmp_path / "a", 6, 3), instance(tmp_path / "b", 6, 6)]
    canary = compare_canaries(paths[:1], paths[1:], since_s=BEGIN_S + 2500)
    assert canary.canaries[0].before.ingest_gb == pytest.approx(2)
    assert canary.canaries[0].after.ingest_gb == pytest.approx(3)


Made = tuple[list[Path], list[Path]]
WRONG: dict[str, tuple[Callable[[Path], Made], str]] = {
    "no controls": (lambda folder: ([instance(folder / "a", 6, 3, (64, 128))], []), "both canaries and controls"),
    "a canary that did not change": (
        lambda folder: ([instance(folder / "a", 6, 3)], [instance(folder / "b", 6, 6)]),
        "never opened with other options",
    ),
    "a control that changed": (
        lambda folder: ([instance(folder / "a", 6, 3, (64, 128))], [instance(folder / "b", 6, 6, (64, 128))]),
        "changed its options, too",
    ),
    "an instance named twice": (lambda folder: ([instance(folder / "a", 6, 3)], [folder / "a"]), "named twice"),
    "no such folder": (lambda folder: ([folder / "gone"], [folder / "gone too"]), "there is no"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_compared_is_told(tmp_path: Path, case: str) -> None:
    made, sentence = WRONG[case]
    with pytest.raises(UsageError, match=sentence):
        compare_canaries(*made(tmp_path))


def test_too_little_traffic_is_told_with_the_instance(tmp_path: Path) -> None:
    path = instance(tmp_path / "a", 6, 3, (64, 128))
    text = (path / "LOG").read_text()
    (path / "LOG").write_text(text[: text.index(head(CUT_S, 128, "B")) + len(head(CUT_S, 128, "B"))])
    with pytest.raises(UsageError, match=r"a: the statistics in its LOG tell of nothing that users wrote after"):
        compare_canaries([path], [instance(tmp_path / "b", 6, 6)])


def test_real_databases_that_changed_half_way_are_told_apart() -> None:
    """LOGs of six databases under the driver, by tools/try_canaries.py."""
    groups = [sorted(DATA.glob(f"{kind}-*")) for kind in ("canary", "control")]
    assert [len(group) for group in groups] == [3, 3]
    canary = compare_canaries(groups[0], groups[1])
    assert effect(canary).verdict == "better"
    assert effect(canary).estimate[2] < 1
    console = Console(width=100, force_terminal=False)
    with console.capture() as shown:
        console.print(canary_card(canary))
    assert "Shown to be better: bytes of flushes and compactions per byte of users" in " ".join(shown.get().split())


def reading(folder: Path, buffers: tuple[int, int], blocks: tuple[int, int], times_us: tuple[int, int]) -> Path:
    """An instance that looks up 1,000 keys in 1000 s, each with so many blocks and so long, before and after."""
    folder.mkdir()
    parts = []
    for side, (begin_s, session) in enumerate(((0, "A"), (CUT_S, "B"))):
        parts.append(head(begin_s, buffers[side], session))
        parts += (
            f"{dump(begin_s + up, up, 6, 0)}rocksdb.number.keys.read COUNT : {up}\n"
            f"rocksdb.block.cache.miss COUNT : {up * blocks[side]}\n"
            f"rocksdb.db.get.micros P50 : 1.5 P99 : 3.0 P100 : 9.0 COUNT : {up} SUM : {up * times_us[side]}\n"
            for up in (1000, 2000, 3000)
        )
    (folder / "LOG").write_text("".join(parts))
    return folder


def test_look_ups_are_compared_where_statistics_are_on(tmp_path: Path) -> None:
    controls = [reading(tmp_path / f"control-{at}", (64, 64), (4, 4), (20 + at, 20 + at)) for at in range(3)]
    canaries = [reading(tmp_path / f"canary-{at}", (64, 128), (4, 2), (20, 10 + at)) for at in range(3)]
    canary = compare_canaries(canaries, controls)
    blocks, time = effect(canary, "blocks read for a look-up"), effect(canary, "mean time of a look-up")
    assert blocks.canaries == pytest.approx((0.5, 0.5, 0.5))
    assert blocks.verdict == time.verdict == "better"
    assert time.estimate[0] == pytest.approx((10 * 11 * 12) ** (1 / 3) / 20, rel=1e-6)
    assert len(canary.effects) == 6
    assert canary.left_out == ()


def test_look_ups_are_left_out_where_some_instance_does_not_count_them(tmp_path: Path) -> None:
    controls = [reading(tmp_path / f"control-{at}", (64, 64), (4, 4), (20, 20)) for at in range(2)]
    canaries = three(tmp_path, "canary", 0.7, (64, 128))
    canary = compare_canaries(canaries, controls)
    assert [each.figure for each in canary.effects] == [COST, TIME, STALLED, SIZE]
    assert len(canary.left_out) == 2
    assert canary.left_out[0].startswith("Blocks read for a look-up: some instance had none")
