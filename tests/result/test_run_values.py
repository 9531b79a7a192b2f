"""The value of every option in a run, as pages show it: other starting points, and text that no value means."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from result_builders import RATE, baseline, rules, store, trial

from lsmtune import api
from lsmtune.model import Configuration, Measurement, Outcome, Purpose, Run, Status, Value
from lsmtune.report.html._columns import RunColumns
from lsmtune.result import StudyFacts, run_values
from lsmtune.store import Study, StudyDescription, create_study
from lsmtune.study import runs_of
from lsmtune.testing import fake_description, fake_space
from lsmtune.watch._run_view import pair_view, run_view

MIB = 2**20
RIBBON = "filter_policy=ribbonfilter:10:0"
OWN_FILE = Configuration.of(
    {},
    f'[Version]\n[CFOptions "default"]\n  write_buffer_size={128 * MIB}\n'
    f'[TableOptions/BlockBasedTable "default"]\n  {RIBBON}\n',
)
OWN_VALUES = Configuration.of({"write_buffer_size": 128 * MIB})


def described(start: Configuration) -> StudyDescription:
    """A study whose reference is of the user's own, beside db_bench's defaults."""
    judged = replace(rules(), baselines={"stock": start, "db_bench": Configuration()})
    description = fake_description(judged, fake_space())
    facts = StudyFacts.of(description)
    own: Mapping[str, Value] = {"write_buffer_size": 128 * MIB, "bloom_bits": -1}
    return replace(description, facts=replace(facts, reference_values={**fake_space().reference, **own}).to_json())


def ran(study: Study, purpose: Purpose, arm: str, configuration: Configuration) -> int:
    """Keep a run that went well and return its id."""
    run = study.plan(Run(0, purpose, arm, 0, configuration, 2, 1))
    study.start(run)
    study.finish(run, Outcome(Status.OK, 1.7e9, 10.0, measurement=Measurement({RATE: 100.0})))
    return run.id


def test_a_run_that_replaces_what_no_value_means_names_it_as_the_users_file_does(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", described(OWN_FILE)) as study:
        reference = ran(study, Purpose.BASELINE, "stock", OWN_FILE)
        changed = ran(study, Purpose.TRIAL, "trial-1", OWN_FILE.changed({"bloom_bits": 10}))
        assert run_view(study, reference).changed == ()
        assert run_view(study, changed).changed == (("bloom_bits", RIBBON, "10 bits/key"),)
        assert pair_view(study, reference, changed).options == (("bloom_bits", RIBBON, "10 bits/key"),)


def test_what_a_run_has_of_the_workload_and_of_the_data_stands_on_its_page(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", described(OWN_VALUES)) as study:
        ids = []
        for size in (100, 400):
            drafted = Run(0, Purpose.SAMPLE, f"sample-{size}", 0, OWN_VALUES, 2, 1, (("value_size", size),))
            run = study.plan(replace(drafted, rung=Fraction(1, 4)))
            study.start(run)
            study.finish(run, Outcome(Status.OK, 1.7e9, 10.0, measurement=Measurement({RATE: 100.0})))
            ids.append(run.id)
        rows = run_view(study, ids[0]).rows
        assert {("workload.value_size", "100"), ("data", "1/4 times that of the study")} <= set(rows)
        assert pair_view(study, *ids).options == (("workload.value_size", "100", "400"),)


@pytest.mark.parametrize(
    ("start", "more"), [(OWN_FILE, (("bloom_bits", RIBBON, "-1"),)), (OWN_VALUES, ())], ids=["file", "values"]
)
def test_a_run_of_another_starting_point_has_its_own_values(
    start: Configuration, more: tuple[tuple[str, str, str], ...], tmp_path: Path
) -> None:
    expected = (*more, ("write_buffer_size", "128 MiB", "64 MiB"))
    with create_study(tmp_path / "s", described(start)) as study:
        reference = ran(study, Purpose.BASELINE, "stock", start)
        other = ran(study, Purpose.BASELINE, "db_bench", Configuration())
        assert run_view(study, other).changed == expected
        assert tuple(sorted(pair_view(study, reference, other).options)) == expected
        values = run_values(StudyFacts.of(study.description), study.description.build, study.run(other).run)
    assert (values["write_buffer_size"], values["max_background_jobs"]) == (64 * MIB, 2)


def test_the_table_for_an_analysis_has_the_values_of_another_starting_point(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", described(OWN_VALUES)) as study:
        ran(study, Purpose.BASELINE, "stock", OWN_VALUES)
        ran(study, Purpose.BASELINE, "db_bench", Configuration())
        ran(study, Purpose.TRIAL, "trial-1", OWN_VALUES.changed({"write_buffer_size": 32 * MIB}))
        runs = runs_of(study)
    assert list(runs.values("write_buffer_size")) == [128 * MIB, 64 * MIB, 32 * MIB]


def test_the_table_of_runs_names_what_no_value_means_as_the_users_file_does(tmp_path: Path) -> None:
    filtered = replace(trial(2, 130.0), values=(("bloom_bits", 10),))
    with create_study(tmp_path / "s", described(OWN_FILE)) as study:
        store(study, *(baseline(block, 100.0 + block % 2) for block in range(3)), trial(1, 120.0), filtered)
        table = RunColumns.of(api.report_view(study, inside=False, predicts=False))
    (column,) = (each for each in table.columns if each.name == "bloom_bits")
    assert column.names == ("10 bits/key", RIBBON)
    assert column.values == (1.0, 0.0)
