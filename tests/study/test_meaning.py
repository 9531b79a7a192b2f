"""Findings that take the meaning from a result, in whole studies on the fake engine."""

from dataclasses import replace
from pathlib import Path

import pytest

from lsmtune.experiment import NamedChange
from lsmtune.indicators import Guard, Objective
from lsmtune.lint import memtable_sized_data, too_short
from lsmtune.model import Measurement, Purpose, Run
from lsmtune.report import next_step, tune_json, verdict_sentence
from lsmtune.result import Disturbed, TuneResult
from lsmtune.study import Budget, Listener
from lsmtune.study.plans._trials import briefing, trial_history
from lsmtune.testing import FakePlan, Fault, Noise, Surface, World, fake_rules, fake_study

MIB = 1 << 20
FITS = "on data that fits the memtables"
MATTERS = frozenset({"write_buffer_size", "compression_type"})
PLAN = FakePlan(Budget(None, 120), Surface(0.5, MATTERS), Noise(rate=0.03), seed=3)


class Notes(Listener):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def note(self, sentence: str) -> None:
        self.sentences.append(sentence)


def of_data(size_bytes: int, runs: FakePlan = PLAN) -> FakePlan:
    """A plan whose runs are measured as those with so much data; the reference has memtables of 128 MiB."""

    def aside(run: Run) -> Measurement:
        size = run.configuration.values.get("write_buffer_size", 64 * MIB)
        number = run.configuration.values.get("max_write_buffer_number", 2)
        assert isinstance(size, int)
        assert isinstance(number, int)
        found = memtable_sized_data(size_bytes, size * number)
        return Measurement({}, warnings=() if found is None else (str(found),))

    return replace(runs, world=World(asides=aside))


def tuned(folder: Path, plan: FakePlan) -> tuple[TuneResult, list[str]]:
    notes = Notes()
    with fake_study(folder, plan, listener=notes) as study:
        return study.tune(), notes.sentences


def memtables(values: dict[str, object]) -> int:
    size, number = values.get("write_buffer_size", 64 * MIB), values.get("max_write_buffer_number", 2)
    assert isinstance(size, int)
    assert isinstance(number, int)
    return size * number


def test_a_trial_whose_memtables_hold_the_data_becomes_no_finalist(tmp_path: Path) -> None:
    free, _ = tuned(tmp_path / "free", PLAN)
    assert memtables(dict(free.final.values)) >= 512 * MIB, "the best has large memtables, so the test tests something"
    result, notes = tuned(tmp_path / "data", of_data(512 * MIB))
    assert result.candidates
    assert all(memtables(dict(each.values)) < 512 * MIB for each in result.candidates.values())
    (note,) = [each for each in notes if "kept out of the finalists" in each]
    number = result.meaning.kept_out["memtable-sized-data"]
    assert note.startswith(f"{number} better trial")
    assert f"better {FITS}, as the reference's runs are not (memtable-sized-data: the data (512 MiB) fits" in note
    assert result.meaning.qualifier == ""
    assert " on data " not in verdict_sentence(result)


def test_where_all_better_trials_are_kept_out_the_verdict_says_so(tmp_path: Path) -> None:
    plan = of_data(129 * MIB, replace(PLAN, surface=Surface(0.5, frozenset({"write_buffer_size"})), noise=Noise(0.001)))
    result, _ = tuned(tmp_path / "s", plan)
    number = result.meaning.kept_out["memtable-sized-data"]
    assert not result.verified
    assert f"apart from those that are better {FITS} ({number}) only" in verdict_sentence(result)


def test_a_reference_with_the_finding_is_said_before_the_search_and_in_the_verdict(tmp_path: Path) -> None:
    result, notes = tuned(tmp_path / "s", of_data(100 * MIB))
    assert notes[0].startswith("memtable-sized-data: the data (100 MiB) fits the memtables (128 MiB)")
    assert f"so an improvement will be one {FITS}" in notes[0]
    assert not [each for each in notes if "kept out" in each]
    assert result.improved
    assert verdict_sentence(result).startswith(f"Improved {FITS}: 1.")
    assert tune_json(result)["meaning"]["qualifier"] == FITS


@pytest.mark.parametrize("disturbed", [Disturbed.WAIT, Disturbed.USE])
def test_a_reference_whose_runs_others_disturbed_has_its_findings(tmp_path: Path, disturbed: Disturbed) -> None:
    plan = replace(PLAN, faults=lambda _: Fault.DISTURB, rules=replace(fake_rules(), disturbed=disturbed))
    result, notes = tuned(tmp_path / "s", of_data(100 * MIB, plan))
    assert [each for each in notes if each.startswith("memtable-sized-data: ")]
    assert [finding.rule.code for finding in result.meaning.reference] == ["memtable-sized-data"]
    assert not result.meaning.kept_out
    assert verdict_sentence(result).startswith(f"Improved {FITS}: 1.")


def test_a_configuration_of_the_users_own_is_not_refused_but_said(tmp_path: Path) -> None:
    large = NamedChange("large", "", {"write_buffer_size": 256 * MIB})
    with fake_study(tmp_path / "compare", of_data(512 * MIB)) as study:
        compared = study.compare(large)
    with fake_study(tmp_path / "steps", of_data(512 * MIB)) as study:
        stepped = study.tune_by_steps(large)
    alone = f"{FITS} (the result's, not the reference's): 1."
    assert verdict_sentence(compared).startswith(f'Improved by "large" {alone}')
    assert verdict_sentence(stepped).startswith(f"Improved {alone}")


@pytest.mark.parametrize(("reference_s", "improved"), [(3.2, False), (1.2, True)])
def test_trials_below_a_second_become_finalists_beside_a_reference_that_is_short_itself(
    tmp_path: Path, reference_s: float, improved: bool
) -> None:
    def aside(run: Run) -> Measurement:
        found = too_short("x", 0.9 if run.configuration.values else reference_s)
        return Measurement({}, warnings=() if found is None else (str(found),))

    result, _ = tuned(tmp_path / "s", replace(PLAN, world=World(asides=aside)))
    assert result.improved == improved
    assert bool(result.meaning.kept_out) != improved
    if improved:
        qualified = "Improved in runs of less than a second (the result's, not the reference's): 1."
        assert verdict_sentence(result).startswith(qualified)


def lz4_compacts_little(run: Run) -> Measurement:
    count = 0.0 if run.configuration.values.get("compression_type") == "lz4" else 40.0
    return Measurement({"compaction_count": count, "compaction_written_bytes": 10 * count, "flush_bytes": 100.0})


def test_a_trial_that_compacts_next_to_nothing_becomes_no_finalist(tmp_path: Path) -> None:
    result, notes = tuned(tmp_path / "s", replace(PLAN, world=World(asides=lz4_compacts_little)))
    assert result.candidates
    assert all(each.values.get("compression_type") != "lz4" for each in result.candidates.values())
    assert [each for each in notes if "little-compacted: 0 compactions, where the reference has 40" in each]


@pytest.mark.parametrize("plan", [of_data(512 * MIB), replace(PLAN, world=World(asides=lz4_compacts_little))])
def test_a_sampler_is_told_that_trials_without_a_meaning_break_a_bound(tmp_path: Path, plan: FakePlan) -> None:
    with fake_study(tmp_path / "s", plan) as study:
        result = study.tune()
        outlook, told = briefing(study.runner, 60)
        measured = trial_history(study.runner)
    ((code, kept_out),) = result.meaning.kept_out.items()
    known = [(trial, plain) for trial, plain in zip(told, measured, strict=True) if plain.response is not None]
    assert 0 < kept_out <= sum(trial.slacks[code] < 0 for trial, _ in known) < len(known)
    assert outlook.slacks[code] > 0, "the reference has a meaning"
    for trial, plain in known:
        bound = {code: trial.slacks[code]}
        assert code not in plain.slacks
        violation = plain.violation + max(0.0, -bound[code])
        assert trial == replace(plain, slacks={**plain.slacks, **bound}, violation=violation)


@pytest.mark.parametrize("sampler", ["agp", "tpe"])
def test_a_search_leaves_the_place_where_trials_have_no_meaning(tmp_path: Path, sampler: str) -> None:
    tried: list[float] = []
    for name, world in (("free", World()), ("barred", World(asides=lz4_compacts_little))):
        plan = replace(PLAN, surface=Surface(0.8, MATTERS), sampler=sampler, world=world)
        with fake_study(tmp_path / name, plan) as study:
            study.tune()
            values = [trial.values.get("compression_type") for trial in trial_history(study.runner)]
        tried.append(values.count("lz4") / len(values))
    free, barred = tried
    assert free > 0.5, "it is the best compression, so the test tests something"
    assert barred < 0.25, "what chance would try"


def test_what_got_worse_stands_beside_the_mean_that_got_better(tmp_path: Path) -> None:
    objective = Objective({"throughput_settled_ops_s": 1.0, "memory_peak_bytes": 0.1})
    rules = replace(fake_rules(), objective=objective, guards=(Guard("space_bytes", 1.10),))
    result, _ = tuned(tmp_path / "s", replace(PLAN, rules=rules))
    assert result.verdict is not None
    memory = result.verdict.indicators["memory_peak_bytes"]
    assert memory.low > 1
    assert f" pairs], but peak memory is {memory.ratio:.2f}x [" in verdict_sentence(result)
    assert tune_json(result)["meaning"]["worse"] == ["memory_peak_bytes"]
    assert next_step(result)


def test_baselines_that_are_no_reference_say_nothing(tmp_path: Path) -> None:
    def aside(run: Run) -> Measurement:
        other = run.purpose is Purpose.BASELINE and run.arm != "stock"
        return Measurement({}, warnings=("sub-second: x ran 800 ms, less than 1 s",) if other else ())

    rules = fake_rules()
    rules = replace(rules, baselines={**rules.baselines, "other": rules.start.changed({"block_size": 8192})})
    result, notes = tuned(tmp_path / "s", replace(PLAN, rules=rules, world=World(asides=aside)))
    assert not [each for each in notes if "sub-second" in each]
    assert result.meaning.reference == ()
