"""The scripts beside the recorded runs say of them what their pages quote."""

import csv
import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from textwrap import indent
from typing import Any

import numpy as np
import pandas as pd
import pytest
from page_scripts import RECORDED, script

from lsmtune.analysis import Runs
from lsmtune.experiment import load_experiment
from lsmtune.model import Purpose
from lsmtune.sampler_benchmark import SamplerBenchmark, read_sets
from lsmtune.space import effects_of

JIN2022 = RECORDED / "jin2022"
NNI = RECORDED / "nni-fillrandom"
FESTIVAL = RECORDED / "rocksdb-festival"
LEVELDB_YCSB = RECORDED / "leveldb-ycsb"
SAMPLERS = RECORDED / "samplers"


def test_the_paper_s_forest_learns_more_from_more_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    learning = script(JIN2022 / "learning_curve.py")
    drawn = tmp_path / "curve.svg"
    learning.main(JIN2022 / "as-published" / "runs.parquet", (100, 2000), 2, drawn)
    said = capsys.readouterr().out
    rows = {line.split()[0]: line for line in said.splitlines() if line.split()[0].isdigit()}
    assert set(rows) == {"600", "100", "489"}, "600 samples, a size, and all that ended"
    few, all_of_them = (float(rows[size].split()[1]) for size in ("100", "489"))
    assert few < all_of_them
    assert "0.663" in said.splitlines()[-1]
    assert "WAF, published 0.663" in drawn.read_text()


def test_a_size_draws_so_many_runs_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    learning = script(JIN2022 / "learning_curve.py")
    learned = Runs.read(JIN2022 / "sound" / "runs.parquet").of(Purpose.SAMPLE)
    counted: list[int] = []

    def impurity_importance(factors: object, columns: object, response: Any, *, seeds: object) -> object:
        counted.append(int(np.isfinite(response).sum()))
        return type("Forest", (), {"r2_test": type("Spread", (), {"median": 0.5})})

    monkeypatch.setattr(learning, "impurity_importance", impurity_importance)
    response = np.where(np.arange(len(learned)) < 60, 1.0, np.nan)
    assert learning.curve(learned, response, (20, 50, 100), 2).keys() == {20, 50, 60}
    assert counted == [20, 20, 50, 50, 60, 60]


def test_forests_can_learn_from_ratios_to_the_reference() -> None:
    """Where the machine loses half of its rate in the second half, so do rates of these runs, and not their ratios."""
    learning = script(JIN2022 / "learning_curve.py")
    runs = Runs.read(JIN2022 / "paper-sample" / "runs.parquet")
    frame = runs.frame.sort_values("started_at")
    late = runs.frame["started_at"] > frame["started_at"].iloc[len(frame) // 2]
    slowed = runs.frame.copy()
    slowed.loc[late, "indicator.throughput_bytes_s"] *= 0.5
    slower = replace(runs, frame=slowed)
    name = "throughput_bytes_s"
    measured, lost = (learning.responses(each, name, over_reference=False)[late] for each in (runs, slower))
    assert np.nanmedian(lost / measured) == pytest.approx(0.5)
    measured, lost = (learning.responses(each, name, over_reference=True)[late] for each in (runs, slower))
    assert np.nanmedian(lost / measured) == pytest.approx(1.0, abs=0.15)


def test_samplers_that_were_not_asked_alike_are_not_compared(tmp_path: Path) -> None:
    judged = script(SAMPLERS / "judged.py")
    rows = [
        (question, sampler, seed, run, 0.1 * run * seed, 4.0)
        for question in ("fill", "nothing")
        for sampler in ("agp", "random")
        for seed in (1, 2)
        for run in (1, 2)
    ]
    columns = ["question", "sampler", "seed", "run", "log_gain", "best_known_log_gain"]
    searches = pd.DataFrame(rows, columns=columns).assign(stand="emulator", noise=1.0, first_finalist_holds=True)
    searches.loc[searches["question"] == "nothing", ["log_gain", "best_known_log_gain"]] = 0.0
    alone, others = (searches[(searches["sampler"] == "agp") == is_agp] for is_agp in (True, False))
    others.to_parquet(tmp_path / "others.parquet")

    def read(own: pd.DataFrame, seeds: int | None = None) -> pd.DataFrame:
        own.to_parquet(tmp_path / "own.parquet")
        found: pd.DataFrame = judged.read([tmp_path / "own.parquet", tmp_path / "others.parquet"], seeds)
        return found

    shares = judged.shares_of(read(alone))
    assert (shares.loc["nothing"] == 0).all(axis=None), "none of nothing"
    for other in (alone.assign(noise=0.1), alone.assign(stand="points"), alone[alone["seed"] == 1]):
        with pytest.raises(SystemExit, match="fill: samplers were not asked alike"):
            read(other)
    assert set(read(alone, 1)["seed"]) == {1}
    with pytest.raises(SystemExit, match="fill: samplers were not asked alike"):
        read(alone.assign(seed=alone["seed"] + 1), 1)  # the first of each file, and not of all


def test_rate_is_what_a_thread_writes_over_time(capsys: pytest.CaptureFixture[str]) -> None:
    said = script(JIN2022 / "rate_and_time.py")
    said.main(JIN2022 / "as-published" / "runs.parquet")
    printed = capsys.readouterr().out
    assert indent(printed, "    ") in (JIN2022 / "README.md").read_text()
    said.main(JIN2022 / "sound" / "runs.parquet")
    assert capsys.readouterr().out.splitlines()[1].split()[-4:] == ["247.9", "(247.6", "to", "248.5)"], "one thread"


def test_the_tuners_best_trials_stand_as_on_nni_s_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trials = script(NNI / "trials.py")
    trials.main(tmp_path / "trials.svg", [NNI / "smac", NNI / "tpe"], NNI / "compare-full" / "runs.parquet")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["Tuner", "SMAC, published", "TPE, published", "smac", "tpe"]
    assert lines[1].split()[2:6] == ["255", "?", "779289", "2097152"]
    runs = Runs.read(NNI / "tpe" / "runs.parquet").of(Purpose.TRIAL)
    best = int(np.nanargmax(runs.indicator("throughput_ops_s")))
    ops = round(runs.indicator("throughput_ops_s")[best])
    expected = [runs.frame["arm"][best].removeprefix("trial-"), "255", str(ops)]
    assert lines[4].split()[1:4] == expected
    assert (tmp_path / "trials.svg").read_text().count("number of the trial") == 1


def test_the_page_has_the_rows_of_the_tuners_best_trials_on_both_builds() -> None:
    trials, page = script(NNI / "trials.py"), (NNI / "README.md").read_text()
    recorded = (
        (("smac", "tpe"), None),
        (("smac-6.6.4", "tpe-6.6.4"), NNI / "compare-6.6.4" / "runs.parquet"),
        (("smac-full-6.6.4", "tpe-full-6.6.4"), NNI / "compare-full-6.6.4" / "runs.parquet"),
    )
    for names, compared in recorded:
        searches = [trials.Trials.read(NNI / name) for name in names]
        for line in trials.table(searches, compared)[-len(names) :]:
            cells = [f"{int(cell):,}" if cell.isdigit() else cell for cell in re.split(" {2,}", line) if cell != "?"]
            assert f"| {' | '.join(cells)} |" in page


def test_all_pairs_of_a_comparison_are_corrected_for_their_number(capsys: pytest.CaptureFixture[str]) -> None:
    script(RECORDED / "pairs.py").main(NNI / "compare-full", ["throughput_ops_s"])
    lines = capsys.readouterr().out.splitlines()
    before, pairs = lines[:5], lines[5:]
    assert before[0] == "NNI's published optimum against the values before tuning: 1.38x [1.28, 1.49], n = 6"
    assert pairs[0].startswith("SMAC, 256 trials against NNI's published optimum: 1.11x [1.05, 1.17], n = 6, p = 0.004")
    assert len(pairs) == 10
    assert all("after Holm over 10 pairs" in line for line in pairs)


def test_two_trials_at_once_say_what_the_page_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    recorded = NNI / "concurrency.csv"
    before = recorded.read_bytes()
    script(NNI / "concurrency.py").main(recorded, 4, Path("db_bench"))
    assert capsys.readouterr().out in (NNI / "README.md").read_text()
    assert recorded.read_bytes() == before, "nothing is run again"


def test_what_was_compared_afresh_stands_beside_what_a_single_run_claimed() -> None:
    trials = script(NNI / "trials.py")
    compared = NNI / "compare-full" / "runs.parquet"
    assert trials.fresh(compared, np.array([2 << 20, 7, 7])).startswith("1.38x [")
    assert trials.fresh(compared, np.array([3 << 20, 7, 7])) == "not run again"


def test_the_ratios_of_a_sweep_are_those_of_its_page(capsys: pytest.CaptureFixture[str]) -> None:
    ratios = script(RECORDED / "ratios.py")
    ratios.main(FESTIVAL / "memtables" / "runs.parquet", ["compaction_count"], "33554432")
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == "compaction_count 33554432: 26.28", "the one that others are compared with comes first"
    assert last == "compaction_count 67108864: 24.77, 0.943x [0.597, 1.490] of 33554432, n = 3"
    assert "26 against 25, 0.94x [0.60, 1.49]" in (FESTIVAL / "README.md").read_text()


def test_another_factor_than_the_rival_is_compared_within_each_rival(capsys: pytest.CaptureFixture[str]) -> None:
    ratios = script(RECORDED / "ratios.py")
    recorded = FESTIVAL / "value-sizes-small" / "runs.parquet"
    ratios.main(recorded, ["compaction_count"], None, "workload.value_size_bytes")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == ["blob", "blob", "leveled", "leveled", "universal", "universal"]
    assert lines[3] == "compaction_count leveled 1024: 329, 4.729x [4.146, 5.394] of 256, n = 3"
    assert "**4.73x [4.15, 5.39]**" in (FESTIVAL / "README.md").read_text()
    with pytest.raises(SystemExit, match=r"no factor 'key'; take one of .*, workload.value_size_bytes"):
        ratios.main(recorded, ["compaction_count"], None, "key")


def test_cells_of_the_other_factor_are_pairs_of_one_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    ratios = script(RECORDED / "ratios.py")
    recorded = LEVELDB_YCSB / "cache-and-blocks-2m" / "runs.parquet"
    ratios.main(recorded, ["throughput_ops_s@load"], "2048", "block_size", pooled=True)
    first, second, _ = capsys.readouterr().out.splitlines()
    assert first == "throughput_ops_s@load 2048: 2.727e+04"
    assert second == "throughput_ops_s@load 1024: 2.209e+04, 0.810x [0.781, 0.840] of 2048, n = 9"
    assert "**0.81x [0.78, 0.84]**" in (LEVELDB_YCSB / "README.md").read_text()


def test_a_disturbed_run_counts_where_it_does_on_the_card(capsys: pytest.CaptureFixture[str]) -> None:
    recorded = JIN2022 / "put-back" / "runs.parquet"
    assert "disturbed" in set(Runs.read(recorded).frame["status"])
    script(RECORDED / "ratios.py").main(recorded, ["space_load_end_bytes"], "0.5")
    assert "0.2: 2.141e+08, 0.493x [0.489, 0.497] of 0.5, n = 4" in capsys.readouterr().out
    assert "| 0.2 | 0.493x [0.489, 0.497] |" in (JIN2022 / "README.md").read_text()


def test_the_places_of_a_grid_are_those_of_its_page(capsys: pytest.CaptureFixture[str]) -> None:
    script(RECORDED / "ratios.py").rank(FESTIVAL / "grid" / "runs.parquet", ["throughput_settled_ops_s"])
    first, *rest = capsys.readouterr().out.splitlines()
    assert first.endswith(": 5.485e+05, 1.120x [0.920, 1.363] of 128 64, n = 3")
    assert len(rest) == 8
    assert "| 1 | 16 | 64 | 549 | 1.12x [0.92, 1.36] |" in (FESTIVAL / "README.md").read_text()


@pytest.mark.parametrize("record", ["demo.csv", "thirty-runs.csv"])
def test_the_page_of_the_demo_says_what_its_records_say(record: str, capsys: pytest.CaptureFixture[str]) -> None:
    demo = script(RECORDED.parent / "benchmarks" / "demo.py")
    with (RECORDED / "demo" / record).open(newline="") as file:
        rows = list(csv.DictReader(file))
    demo.told(rows, 103.0)
    page = (RECORDED / "demo" / "README.md").read_text()
    said = capsys.readouterr().out.splitlines()
    assert len(said) == len({row["condition"] for row in rows}) > 0
    for line in said:
        assert line in page


def test_what_the_judged_searches_say_of_the_goals_is_counted_and_drawn() -> None:
    judging = script(SAMPLERS / "judged.py")
    first, searches = (pd.read_parquet(SAMPLERS / f"{name}.parquet") for name in ("judged-first", "judged"))
    said = judging.report(searches)
    assert "agp after 50 runs: 2 of 16 questions have 90%" in said
    assert said.count("more than 5 points behind the best other: nowhere") == 2
    assert "more than 5 points behind the best other: overwrite-zipfian, memory (14)" in judging.report(first)
    turned = judging.report(searches.sort_values("sampler", ascending=False, kind="stable"))
    assert "tpe after 50 runs: 1 of 16 questions" in turned
    assert judging.figure(searches).count("<svg") == 1
    third = judging.read([SAMPLERS / f"{name}.parquet" for name in ("judged-third", "judged-scans", "judged")])
    assert (
        third.groupby(["question", "sampler"]).size().to_dict()
        == searches.groupby(["question", "sampler"]).size().to_dict()
    )
    counted = judging.report(third)
    assert "agp after 20 runs: 7 of 16 questions have 75%" in counted
    assert "each 8" in counted
    scans = judging.read([SAMPLERS / f"{name}.parquet" for name in ("judged-scans", "judged")])
    assert "more than 5 points behind the best other: ycsb-e-rocksdb, mean (36)" in judging.report(scans)
    fresh = judging.report(judging.read([SAMPLERS / "judged-fresh.parquet"]))
    assert "agp after 20 runs: 8 of 16 questions have 75%" in fresh
    assert "agp after 50 runs: 2 of 16 questions have 90%" in fresh
    assert fresh.count("smac 1") == fresh.count("each 15") == 2
    assert "overwrite-zipfian, space (68%), fill-universal, space (72%)" in fresh
    new = judging.report(judging.read([SAMPLERS / "judged-new.parquet"]))
    assert "agp after 20 runs: 3 of 4 questions have 75%" in new
    assert "agp after 50 runs: 0 of 4 questions have 90%" in new
    assert [each in new for each in ("each 4", "each 3", "readrandomwriterandom, space (68%)")] == [True] * 3
    controls = judging.report(
        judging.read([SAMPLERS / f"{name}.parquet" for name in ("judged-new", "controls-new")], 20)
    )
    means = [line.split() for line in controls.splitlines() if "mean of the medians" in line]
    assert [line[line.index("agp-alone") + 1] for line in means] == ["62", "78"]
    assert [line[line.index("agp") + 1] for line in means] == ["76", "76"]
    trees = judging.report(judging.read([SAMPLERS / "trees-new.parquet"]))
    assert [trees.count(each) for each in ("each 2", "each 0", "agp 57 %", "agp 59 %")] == [1, 1, 1, 1]
    limits = judging.report(judging.read([SAMPLERS / "limits.parquet"]))
    assert [limits.count(each) for each in ("each 3", "each 4", "nowhere")] == [1, 1, 2]
    assert "overwrite-zipfian, limits (50%), ycsb-e-rocksdb, limits (90%), fill-universal, limits (60%)" in limits
    on_points = judging.report(pd.read_parquet(SAMPLERS / "judged-points.parquet"))
    assert "agp after 50 runs: 10 of 16 questions have 90%" in on_points
    assert "overwrite-zipfian, rate (12), mixgraph, rate (10), mixgraph, mean (15)" in on_points
    assert on_points.count("each 0") == 2


def test_controls_go_on_from_what_agp_proposes_first_and_ask_trees_alone() -> None:
    controls = script(SAMPLERS / "controls.py")
    how = SamplerBenchmark(SAMPLERS / "questions.toml", (), (), runs=7, seeds=2)
    sets = {each.name: each for each in read_sets(how.source)}
    bench = next(sets["fill-universal"].benches(how))
    controls.begin(bench, trees=False)
    agp, alone, begun = (controls.one(name, 3) for name in ("agp", "agp-alone", "tpe-begun"))
    assert agp.seconds[:5].tolist() == begun.seconds[:5].tolist() != alone.seconds[:5].tolist()
    assert agp.seconds[5:].tolist() != begun.seconds[5:].tolist()
    trees, both = (controls.question_of(bench, trees=alone).emulator for alone in (True, False))
    assert [type(each.estimator).__name__ for each in trees.surrogates] == ["ExtraTreesRegressor"] * 2
    changed = {"write_buffer_size": 256 << 20}
    assert trees.log_ratios([changed])[0, 1] != both.log_ratios([changed])[0, 1]


def test_development_knows_of_rocksdb_what_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    develop = script(SAMPLERS / "develop.py")
    shipped = files("lsmtune.space") / "catalog" / "rocksdb-effects.tsv"
    head, *rows = [line for line in shipped.read_text().splitlines() if not line.startswith("#")]
    sets = {each.name: each for each in read_sets(SAMPLERS / "questions.toml")}
    bench = next(sets["readwhilewriting"].benches(SamplerBenchmark(Path(), (), (), runs=7, seeds=2)))
    monkeypatch.setattr("lsmtune.study._prior.effects_of", effects_of)  # set back behind the test
    expected = []
    for known in (rows, [row for row in rows if not row.startswith("block_size")]):
        develop.begin(bench, [head, *known])
        prior = develop._asked[-1][1].prior
        expected.append([float(prior.response({name: np.array([65536])})[0]) for name in ("block_size", "bloom_bits")])
    (told, same), (untold, other) = expected
    assert told > 0 == untold
    assert same == other != 0


def test_three_limits_are_asked_of_every_set_that_judges() -> None:
    limits = script(SAMPLERS / "limits.py")
    how = SamplerBenchmark(Path(), (), (), runs=50, seeds=2)
    found = list(limits.benches([SAMPLERS / "questions.toml", SAMPLERS / "questions-new.toml"], how))
    tails = {bench.name.removesuffix(", limits"): bench.guards[2][0] for bench in found}
    assert tails == {
        "overwrite-zipfian": "latency_p99_s",
        "mixgraph": "read_latency_p99_s",
        "ycsb-e-rocksdb": "read_latency_p99_s",
        "fill-universal": "latency_p99_s",
        "readrandomwriterandom": "read_latency_p99_s",
    }
    assert {bound for bench in found for _, bound in bench.guards} == {"1.00x"}
    for bench in found:
        bench.check()


def test_real_searches_ask_one_question_of_all_samplers_and_compare_what_each_hands_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = script(SAMPLERS / "real" / "real.py")
    commands: list[list[str]] = []

    def told(command: list[str], kept: Path) -> dict[str, Any]:
        commands.append(command)
        verdict = {"claim": {"gain": 1.25, "low": 1.1, "high": 1.4, "n": 6}, "standing": "improved"}
        if command[0] == "compare":
            arms = [each.name for each in load_experiment(Path(command[1])).compare]
            return {"verified": [{**verdict, "arm": f"finalist-{place}"} for place in range(1, len(arms) + 1)]}
        found = "random" not in command
        leaders = [{"log_gain": 0.7, "violation": 0.0}, {"log_gain": 0.9, "violation": 0.1}]
        final = {"values": {"num_levels": 5} if found else {}}
        meaning = {"kept_out": {"little-compacted": 2, "sub-second": 1}}
        return {"improved": found, "verdict": verdict, "final": final, "leaders": leaders, "meaning": meaning}

    monkeypatch.setattr(real, "told", told)
    rows = list(real.rows(tmp_path, "space", 2))
    asked = load_experiment(tmp_path / "mixgraph-2.toml")
    assert (asked.search.seed, asked.weights) == (2, {"throughput_ops_s": 1.0})
    assert asked.guard_texts == {"space_bytes": "1.10x"}
    assert [table for table, _ in rows] == ["tuned"] * 16 + ["compared"] * 12
    figures = {"gain": 1.25, "low": 1.1, "high": 1.4, "pairs": 6, "standing": "improved"}
    first = {"set": "fill-universal", "seed": "1", "sampler": "agp", **figures, "best_trial": 2.0138, "kept_out": 3}
    assert rows[0][1] == first
    assert rows[-1][1] == {"set": "mixgraph", "seed": "2", "sampler": "tpe", **figures}
    assert [line["gain"] for _, line in rows if line["sampler"] == "random"] == [1.0] * 4
    assert commands[-1][-3:] == ["56 runs", "--study", str(tmp_path / "mixgraph-6-compared")]
