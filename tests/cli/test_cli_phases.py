"""Sweeps and comparisons over several phases: who wins in each, and over all of them."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_fixtures import Lsmtune
from phase_builders import RULES, Ran, phase_study

from lsmtune.analysis import Runs
from lsmtune.model import Purpose, Status, StudyKind
from lsmtune.result import checkpoints

RECORDED = Path(__file__).parents[2] / "reproductions" / "rocksdb-festival" / "ycsb" / "runs.parquet"
LEVELS = {"load": "throughput_ops_s@load", "a": "throughput_ops_s@a", "f": "throughput_ops_s"}
FACTORS = {
    "leveled": {"load": 1.0, "a": 1.0, "f": 1.0},
    "universal": {"load": 1.5, "a": 1.3, "f": 1.0},
    "blob": {"load": 0.5, "a": 2.0, "f": 1.01},
}
SLOW = (1.0, 0.8, 0.9)
"""What each block comes to, for all alike."""
SCATTER = {"leveled": (0, 1, -1), "universal": (1, -1, 0), "blob": (-1, 0, 1)}


def swept(path: Path, *, failed: str = "") -> Path:
    """Write the recorded grid with rates of the hand: load, a and f of YCSB, three styles, three blocks."""
    runs = Runs.read(RECORDED)
    frame = runs.frame.copy()
    for name in runs.indicators:
        if name.startswith(("throughput", "latency")) and "@" in name:
            frame[f"indicator.{name}"] = float("nan")
    for row in frame.index[frame["purpose"] == "sample"]:
        style, block = frame.loc[row, "variant.style"], int(frame.loc[row, "block"])
        for phase, name in LEVELS.items():
            noise = 1 + 0.004 * SCATTER[style][block] * (-1 if phase == "a" else 1)
            frame.loc[row, f"indicator.{name}"] = 1000 * FACTORS[style][phase] * SLOW[block] * noise
        if style == failed and block == 0:
            frame.loc[row, "status"] = str(Status.FAILED)
    Runs(runs.factors, runs.bundles, runs.facts, frame).write(path)
    return path


def phase_rows(text: str, indicator: str = "throughput_ops_s") -> dict[str | None, dict[str, Any]]:
    """Return the rows of a table of phases by phase; None is the mean over them."""
    return {row["phase"]: row for row in json.loads(text)["phases"][indicator]["rows"]}


def test_a_sweep_names_the_winner_of_each_phase_and_of_their_mean(lsmtune: Lsmtune, tmp_path: Path) -> None:
    table = swept(tmp_path / "runs.parquet")
    code, out, err = lsmtune("sweep", str(table), "--json")
    assert code == 0, err
    rows = phase_rows(out)
    assert list(rows) == ["load", "a", "f", None]
    assert {phase: (row["leader"], row["shown"]) for phase, row in rows.items()} == {
        "load": ("universal", True),
        "a": ("blob", True),
        "f": ("blob", False),
        None: ("universal", True),
    }
    (_, universal, blob) = rows[None]["arms"]
    assert universal["ratio"]["ratio"] == pytest.approx((1.5 * 1.3) ** (1 / 3), rel=0.01)
    assert blob["ratio"]["ratio"] == pytest.approx((0.5 * 2 * 1.01) ** (1 / 3), rel=0.01)
    assert universal["ratio"]["n"] == 3
    assert json.loads(out)["phases"]["throughput_ops_s"]["level"] == 0.95

    code, out, err = lsmtune("sweep", str(table))
    assert code == 0, err
    words = " ".join(out.split())
    assert "Who wins in each phase: throughput" in words
    assert (
        "universal is shown to have the highest throughput in load (by 1.50x over leveled); blob in a (by 1.54x over "
        "universal); nobody in f; in the geometric mean over 3 phases universal wins, by 1.25x [" in words
    )
    assert "all intervals of the table hold together at 95 %" in words


def test_who_wins_is_not_said_of_a_style_whose_runs_failed(
    lsmtune: Lsmtune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    table = swept(tmp_path / "runs.parquet", failed="universal")
    code, out, err = lsmtune("sweep", str(table), "--json")
    assert code == 0, err
    rows = phase_rows(out)
    assert (rows["load"]["leader"], rows["load"]["shown"], rows["load"]["troubled"]) == ("universal", False, 1)
    assert rows["a"]["shown"], "the run that failed is another's"
    assert "not shown: 1 run of universal failed or stopped" in " ".join(lsmtune("sweep", str(table))[1].split())


def test_an_indicator_that_was_not_asked_for_has_no_table(lsmtune: Lsmtune, tmp_path: Path) -> None:
    table = swept(tmp_path / "runs.parquet")
    code, out, err = lsmtune("sweep", str(table), "--indicator", "waf")
    assert code == 0, err
    assert "in each phase" not in out


def test_of_the_recorded_grid_nobody_leads_over_all_phases_and_blob_scans_slower(lsmtune: Lsmtune) -> None:
    code, out, err = lsmtune("sweep", str(RECORDED), "--json")
    assert code == 0, err
    rows = phase_rows(out)
    assert list(rows) == ["load", "a", "b", "c", "d", "e", "f", None]
    assert not any(row["shown"] for row in rows.values())
    scans = {each["arm"]: each["ratio"] for each in rows["e"]["arms"]}
    assert scans["blob"]["high"] < 0.5


COMPARED = {
    "leveldb": (100.0, 100.0, 100.0),
    "finalist-1": (150.0, 80.0, 101.0),
    "finalist-2": (100.0, 130.0, 100.0),
}
"""Rates in load, a and b of the reference and of two that are compared with it."""


def fresh(*, pairs: int = 6, failed: str = "") -> list[Ran]:
    """Blocks with a run of each arm, all arms slower in every second block."""
    found = []
    for block in range(pairs):
        for place, (arm, rates) in enumerate(COMPARED.items()):
            noise = (1 - 0.1 * (block % 2)) * (1 + 0.003 * ((block * 5 + place * 7) % 4 - 1.5))
            status = Status.FAILED if arm == failed and block == 3 else Status.OK
            values = () if arm == "leveldb" else (("write_buffer_size", (place + 1) << 20),)
            scaled = (rates[0] * noise, rates[1] * noise, rates[2] * noise)
            found.append(Ran(Purpose.VERIFY, arm, scaled, status=status, values=values))
    return found


def compared(folder: Path, *, failed: str = "") -> Path:
    """Make a comparison of two named configurations over load, a and b of YCSB, in six blocks."""
    with phase_study(folder, *fresh(failed=failed), rules=RULES, arms_a_block=len(COMPARED)) as study:
        study.begin(StudyKind.COMPARE)
        study.save(checkpoints.FINALISTS, ("large", "larger"))
        study.save(checkpoints.VERIFY_LOOKS, 1)
        study.save(checkpoints.WINNER, "finalist-2")
        study.save(checkpoints.DONE, True)
    return folder


def test_a_comparison_names_the_winner_of_each_phase_and_of_their_mean(lsmtune: Lsmtune, tmp_path: Path) -> None:
    study = compared(tmp_path / "compared")
    code, out, err = lsmtune("show", str(study), "--json")
    assert code == 0, err
    rows = phase_rows(out)
    assert {phase: (row["leader"], row["shown"]) for phase, row in rows.items()} == {
        "load": ("large", True),
        "a": ("larger", True),
        "b": ("large", False),
        None: ("larger", True),
    }
    arms = {each["arm"]: each["ratio"] for each in rows[None]["arms"]}
    assert arms["leveldb"] is None
    assert arms["large"]["ratio"] == pytest.approx((1.5 * 0.8 * 1.01) ** (1 / 3), rel=0.01)
    assert arms["larger"]["ratio"] == pytest.approx(1.3 ** (1 / 3), rel=0.01)
    code, out, err = lsmtune("show", str(study))
    assert code == 0, err
    words = " ".join(out.split())
    assert "large is shown to have the highest throughput in load (by 1.5" in words
    assert "hold together at 97.8 %" in words


def test_of_a_comparison_whoever_failed_is_shown_nowhere(lsmtune: Lsmtune, tmp_path: Path) -> None:
    code, out, err = lsmtune("show", str(compared(tmp_path / "compared", failed="finalist-1")), "--json")
    assert code == 0, err
    rows = phase_rows(out)
    assert (rows["load"]["leader"], rows["load"]["shown"], rows["load"]["troubled"]) == ("large", False, 1)
    assert rows["a"]["shown"]


def test_the_report_shows_phases_as_a_chart_with_intervals(lsmtune: Lsmtune, tmp_path: Path) -> None:
    study = compared(tmp_path / "compared")
    code, _, err = lsmtune("report", str(study), "-o", "page.html", "--lite", "--figures", "figures")
    assert code == 0, err
    page = Path("page.html").read_text()
    assert "geometric mean of 3" in page
    assert "Throughput in each phase, over that of leveldb" in page
    assert Path("figures/phases-throughput_ops_s.svg").exists()
