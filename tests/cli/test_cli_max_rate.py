"""The largest rate as what is tuned, compared, guarded and swept, on a fake driver whose engine bears a known rate."""

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cli_fixtures import Lsmtune
from fake_driver import CAPACITY_OPS_S, MIB, PRECISION, capacity_ops_s, install
from timeline_builders import ROCKSDB, empty, measured

from lsmtune.backends.ycsb import YcsbBench, discover_driver, find_driver, timed_series
from lsmtune.backends.ycsb._output import parse_output
from lsmtune.executors import Limits, LocalExecutor, _local
from lsmtune.model import Configuration, MaxRate, Purpose, Run, Status, Workload
from lsmtune.space import catalogue
from lsmtune.store import Study, read_study

PRINTED = (Path(__file__).parents[1] / "fixtures" / "ycsb" / "max_rate.jsonl").read_text()
BASE = """
[workload]
tool = "ycsb"
benchmarks = ["a"]
load = "load"
num = "2M"
[workload.max_rate]
limit = "5ms"
[space]
options = ["write_buffer_size"]
[search]
noise_runs = 3
finalists = 1
[host]
min_free = "1MiB"
disturbed = "use"
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let lsmtune find the fake driver."""
    monkeypatch.setenv("LSMTUNE_DRIVER", str(install(tmp_path)))


def answer(lsmtune: Lsmtune, text: str, *words: str) -> dict[str, Any]:
    Path("x.toml").write_text(text)
    code, out, err = lsmtune(*words, "x.toml", "--study", "study", "--json", "--quiet")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def rates(**wanted: str) -> list[float]:
    """The rates of the study's runs with some purpose or arm."""
    with read_study(Path("study")) as study:
        found = study.indicator("max_rate_ops_s")
        runs = [each.run for each in study.runs()]
    chosen = [run for run in runs if all(str(getattr(run, name)) == value for name, value in wanted.items())]
    return [rate for run in chosen if (rate := found.get(run.id)) is not None]


@pytest.mark.usefixtures("fake")
def test_the_rate_repeats_within_5_percent_over_20_runs(lsmtune: Lsmtune) -> None:
    answer(lsmtune, BASE.replace("noise_runs = 3", "noise_runs = 20") + COMPARED, "compare")
    found = rates(arm="rocksdb")
    assert len(found) >= 20
    assert max(found) / min(found) <= 1 + PRECISION
    assert all(CAPACITY_OPS_S / (1 + PRECISION) <= rate <= CAPACITY_OPS_S for rate in found)
    assert len(set(found)) == len(found)  # each run has its own seed


@pytest.mark.usefixtures("fake")
def test_a_tuning_finds_what_bears_a_larger_rate_and_claims_no_more_than_there_is(lsmtune: Lsmtune) -> None:
    result = answer(lsmtune, BASE + SMALL + "[budget]\nruns = 40\n", "tune")
    assert next(iter(result["noise"])) == "max_rate_ops_s"
    assert result["improved"], result["sentence"]
    with read_study(Path("study")) as study:
        arms = {each.run.arm for each in study.runs() if each.run.purpose is Purpose.VERIFY} - {"rocksdb"}
    (arm,) = arms
    won = rates(purpose="verify", arm=arm)
    assert CAPACITY_OPS_S < min(won) <= max(won) <= capacity_ops_s(256 * MIB)


SMALL = """
[space.ranges]
write_buffer_size = { low = "16MiB", high = "256MiB" }
"""
COMPARED = """
[[compare]]
name = "larger"
set = { write_buffer_size = "256MiB" }
"""


@pytest.mark.usefixtures("fake")
def test_configurations_are_compared_by_the_rates_that_they_bear(lsmtune: Lsmtune) -> None:
    Path("x.toml").write_text(BASE + COMPARED)
    code, out, err = lsmtune("compare", "x.toml", "--study", "study", "--quiet")
    assert code == 0, err
    assert "max rate" in out
    assert "largest rate with p99 <= 5 ms for 10 s" in " ".join(out.split())
    assert "Behind the largest rates: geometric means of the fresh runs" in out
    (larger,) = [line for line in out.splitlines() if line.startswith("larger") and "too many late" in line]
    pairs = len(rates(arm="finalist-1"))
    assert f"too many late ({pairs} of {pairs})" in larger
    closed = 1.3 * math.exp(math.fsum(map(math.log, rates(arm="finalist-1"))) / pairs)
    assert f"{closed / 1000:.4g} kops/s" in larger
    ratio = math.sqrt(math.prod(rates(arm="finalist-1")) ** (2 / len(rates(arm="finalist-1")))) / CAPACITY_OPS_S
    assert 1.5 / (1 + PRECISION) <= ratio <= 1.5


GUARDED = BASE + '[objective]\nthroughput_ops_s = 1\n[guards]\nmax_rate_ops_s = ">= {least:.0f}"\n'


@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize(("of_capacity", "improved"), [(0.9, True), (1.05, False)], ids=["borne", "not borne"])
def test_a_rate_that_is_guarded_decides_whether_a_gain_is_taken_home(
    lsmtune: Lsmtune, of_capacity: float, improved: bool
) -> None:
    least = of_capacity * capacity_ops_s(256 * MIB)
    result = answer(lsmtune, GUARDED.format(least=least) + COMPARED, "compare")
    (compared,) = result["verified"]
    assert compared["claim"]["decision"] == "improved"  # in the closed loop, whatever is guarded
    assert result["improved"] == improved, result["sentence"]
    assert all((rate >= least) == improved for rate in rates(purpose="verify", arm="finalist-1"))


@pytest.mark.usefixtures("fake")
def test_a_tuning_under_a_guarded_rate_takes_home_what_bears_it(lsmtune: Lsmtune) -> None:
    least = 1.2 * CAPACITY_OPS_S  # the reference bears less
    result = answer(lsmtune, GUARDED.format(least=least) + SMALL + "[budget]\nruns = 40\n", "tune")
    assert result["improved"], result["sentence"]
    assert capacity_ops_s(float(result["final"]["values"]["write_buffer_size"])) >= least


@pytest.mark.usefixtures("fake")
def test_a_tuning_that_is_taken_up_again_keeps_its_rates_and_ends_as_one_in_a_piece(lsmtune: Lsmtune) -> None:
    text = BASE + SMALL + "[budget]\nruns = 40\n"
    Path("x.toml").write_text(text)
    code, _, err = lsmtune("tune", "x.toml", "--study", "study", "--quiet", "--budget", "20 runs")
    assert code == 0, err
    before = rates()
    assert 0 < len(before) <= 20
    result = answer(lsmtune, text, "tune")
    assert rates()[: len(before)] == before
    assert result["improved"], result["sentence"]
    low, gain, high = (result["verdict"]["claim"][name] for name in ("low", "gain", "high"))
    true = capacity_ops_s(float(result["final"]["values"]["write_buffer_size"])) / CAPACITY_OPS_S
    assert low <= gain <= high
    assert true / (1 + PRECISION) <= gain <= true * (1 + PRECISION)
    code, _, err = lsmtune("report", "study", "-o", "report.html")
    assert code == 0, err
    assert "max rate" in Path("report.html").read_text()


SWEEP = """
[sweep]
rival = "write_buffer_size"
repeats = 2
[sweep.options]
write_buffer_size = ["64MiB", "256MiB"]
[sweep.axes]
threads = [1, 2]
"""


@pytest.mark.usefixtures("fake")
def test_a_sweep_tells_who_bears_more(lsmtune: Lsmtune) -> None:
    Path("x.toml").write_text(BASE + SWEEP)
    code, out, err = lsmtune("sweep", "x.toml", "--quiet")
    assert code == 0, err
    assert "Who wins in max rate" in out


OVER_LIMITS = """
[sweep]
rival = "write_buffer_size"
repeats = 2
[sweep.options]
write_buffer_size = ["64MiB", "256MiB"]
[sweep.axes]
limit = ["5ms", "20ms"]
percentile = [99, 99.9]
"""


@pytest.mark.usefixtures("fake")
def test_a_sweep_over_limits_and_percentiles_finds_the_rate_under_each(lsmtune: Lsmtune) -> None:
    found = answer(lsmtune, BASE + OVER_LIMITS, "sweep")
    assert len(found["cells"]) == 8
    for cell in found["cells"]:
        values = cell["values"]
        bound = capacity_ops_s(values["write_buffer_size"], values["workload.limit_s"], values["workload.percentile"])
        assert bound / (1 + PRECISION) <= cell["levels"]["max_rate_ops_s"] <= bound
        assert cell["runs"] == 2
    assert {each["winner"] for each in found["duels"]["max_rate_ops_s"]} == {256 * MIB}


@pytest.mark.usefixtures("fake")
def test_the_limit_can_be_an_axis_of_an_importance_study(lsmtune: Lsmtune) -> None:
    sample = '[sample]\nruns = 16\nreplicates = 0\n[sample.axes]\nlimit = { low = "1ms", high = "20ms", log = true }\n'
    answer(lsmtune, BASE.replace("noise_runs = 3", "noise_runs = 3\nseed = 5") + SMALL + sample, "sample")
    with read_study(Path("study")) as study:
        found = study.indicator("max_rate_ops_s")
        limits = {each.run.id: dict(each.run.scenario).get("limit_s") for each in study.runs()}
    told = [(float(limit), found[run]) for run, limit in limits.items() if limit is not None and run in found]
    assert len(told) >= 16
    strict = [rate for limit, rate in told if limit < 0.002]
    loose = [rate for limit, rate in told if limit > 0.01]
    assert max(strict) < min(loose)


def test_the_staircase_of_a_run_is_shown_as_a_table_and_drawn(lsmtune: Lsmtune, tmp_path: Path) -> None:
    with empty(tmp_path / "study") as made:
        measured(made, Purpose.BASELINE, "stock", {"measure.LOG": ROCKSDB, "measure.stdout": PRINTED})
    code, out, err = lsmtune("timeline", "study", "1")
    assert code == 0, err
    assert "closed loop" in out
    steps = [step for step in parse_output(PRINTED).rate_steps if step.rate_ops_s is not None]
    assert len([line for line in out.splitlines() if " sustained" in line]) == len(steps)
    assert out.count("not sustained: ") == len([step for step in steps if not step.borne]) > 0
    code, out, _ = lsmtune("timeline", "study", "1", "--json", "-o", "stairs.svg")
    assert code == 0
    (run,) = json.loads(out)["runs"]
    assert [each["rate_ops_s"] for each in run["rates"]][1:] == [step.rate_ops_s for step in steps]
    assert "offered rate" in Path("stairs.svg").read_text()


def unwatched(_: object) -> None:
    """A watcher that looks away."""


def of_real_engine(folder: Path, wanted: MaxRate, engine: str) -> tuple[Status, str, Mapping[str, float | None], str]:
    """Run workload B on a database of 2,000 records; return status, reason, indicators and what the driver printed."""
    workload = Workload(
        ("b",), "b", 2000, load=("load",), threads=2, compression_ratio=1.0, tool="ycsb", max_rate=wanted
    )
    build = discover_driver(find_driver(), engine)
    bench = YcsbBench(build, catalogue(engine).for_version(build.version_tuple), workload, Fraction(1))
    run = Run(1, Purpose.TRIAL, "trial-1", None, Configuration.of({}), 11, 7)
    outcome = LocalExecutor(bench, folder).run(run, Limits(300.0, 60.0, None, 1 << 20), unwatched)
    found = {} if outcome.measurement is None else outcome.measurement.indicators
    return outcome.status, outcome.reason, found, outcome.artefacts["measure.stdout"]


@pytest.mark.parametrize("engine", ["rocksdb", "leveldb"])
def test_a_real_engine_gives_a_rate_and_a_staircase_that_agree(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_local, "_JUDGED_S", math.inf)  # how busy this machine is decides about no test
    wanted = MaxRate(0.01, hold_s=1.0, most=5)
    status, reason, found, printed = of_real_engine(tmp_path / "scratch", wanted, engine)
    output = parse_output(printed)
    steps = [step for step in output.rate_steps if step.rate_ops_s is not None]
    assert 1 <= len(steps) <= wanted.most
    for step in steps:
        assert step.borne == (step.reasons == ())
        if step.borne:
            assert step.latency is not None
            assert step.latency.p99_s <= wanted.limit_s * 1.001  # the histogram's error
            assert step.operations >= 0.98 * (step.rate_ops_s or 0) * step.hold_s
    assert "offered rate" in {each.name for each in timed_series(printed)}
    if status is Status.FAILED:  # on a machine that is busy enough nothing is borne
        assert reason.startswith("no rate was sustained, down to ")
        assert not any(step.borne for step in steps)
        return
    assert status is Status.OK
    largest = max(step.rate_ops_s or 0.0 for step in steps if step.borne)
    assert 0 < (found["max_rate_ops_s"] or 0) <= largest
    assert found["throughput_ops_s"] == output.rate_steps[0].achieved_ops_s


def test_the_rate_and_its_staircase_are_read_back_from_a_study_as_they_were_stored(tmp_path: Path) -> None:
    with empty(tmp_path / "study") as made:
        run = made.plan(Run(0, Purpose.BASELINE, "stock", None, Configuration(), 1, 1))
        stored_rate(made, run)
    with read_study(tmp_path / "study") as study:
        assert study.indicator("max_rate_ops_s") == {run.id: 5740.838322990523}
        assert parse_output(study.artefact(run.id, "measure.stdout")) == parse_output(PRINTED)


def stored_rate(study: Study, run: Run) -> None:
    """Finish a run with what the recorded output says."""
    from lsmtune.model import Measurement, Outcome

    rate = next(end.max_rate for end in parse_output(PRINTED).phases if end.max_rate is not None)
    assert rate is not None
    study.start(run)
    told = Measurement({"max_rate_ops_s": rate.rate_ops_s})
    study.finish(run, Outcome(Status.OK, 1.7e9, 2.0, "", told, artefacts={"measure.stdout": PRINTED}))
