"""What stages decided: each decision comes back as it was made, and old ones are read by every later version."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lsmtune.errors import StudyError
from lsmtune.jin2022 import _plan as jin2022_plan
from lsmtune.model import Purpose, StudyKind
from lsmtune.result import (
    AblationPlan,
    ClimbStep,
    Decisions,
    Design,
    EliminationTest,
    Point,
    Progress,
    RungCheck,
    SearchStop,
    SharedOut,
    StepTaken,
    checkpoints,
)
from lsmtune.store import DATABASE, Checkpoint, create_study, open_study, read_study
from lsmtune.testing import fake_description, fake_rules, fake_space

FROZEN = sorted((Path(__file__).parent.parent / "data" / "studies").glob(f"*/{DATABASE}"))
DECLARED: Mapping[str, Checkpoint[Any]] = {
    each.name: each
    for module in (checkpoints, jin2022_plan)
    for each in vars(module).values()
    if isinstance(each, Checkpoint)
}
DESIGN = Design(
    ("factorial", 8, 0, 1),
    {
        Purpose.SAMPLE: (
            Point({"block_size": 4096, "codec": "lz4"}, (("threads", 4),), (("variant.style", "leveled"),)),
            Point({"sync": True, "ratio": 0.5}),
        ),
        Purpose.TEST: (),
    },
)
MADE: Mapping[str, Any] = {
    "done": True,
    "other_baselines": False,
    "shares": SharedOut((None, 120), 3, 67.8, 39.55),
    "rungs": (RungCheck("1/4", 0.97, 0.91, 16, used=True),),
    "trials": 36,
    "all_trials": True,
    "stopped": SearchStop(12, 0.04),
    "hosts": ("bench-1", "bench-2"),
    "hosts_sessions": ("0f1e2d3c4b5a6978", "0a1b2c3d"),
    "progress": Progress("search", "trials of 6 options", 12, "trial 4", 61.5),
    "kept_out": {"memtable-data": 2},
    "finalists": ("trial-3", "trial-1"),
    "winner": "",
    "ablation": AblationPlan(1, ("a", "b"), 6, ("c", "d"), {"a": 1, "b": 0.5, "c": True, "d": "lz4"}),
    "prune": (EliminationTest(1, ("a",), accepted=True, control=1), EliminationTest(2, ("b", "c"), accepted=False)),
    "pruned": {"a": 1, "b": 0.5, "c": True, "d": "lz4"},
    "confirmed_arms": 0,
    "climb": (ClimbStep("finalist-1", "1/16", 2, 41.5, 12.0, 12), ClimbStep("finalist-1", "1/4", 0, 170.0, 5.25, 11)),
    "final_ablation": AblationPlan(3, (), 5, ("x", "y"), {}),
    "final_tests": (EliminationTest(1, ("d",), accepted=False, control=1, final=True),),
    "steps": (StepTaken(1, "larger", "", {"write_buffer_size": 1 << 27}, 2, kept=True),),
    "design": DESIGN,
    "repeats": 5,
    "jin2022_genes": ("a", "b"),
    "jin2022_best": "trial-14",
    "verify_looks": 2,
    "confirm_looks": 0,
}


def raw(folder: Path, name: str, value: Any) -> None:
    """Put JSON into a study as another version of lsmtune might have done."""
    with closing(sqlite3.connect(folder / DATABASE)) as connection, connection:
        connection.execute("INSERT OR REPLACE INTO decisions VALUES (?, ?)", (name, json.dumps(value)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    create_study(tmp_path / "s", fake_description(fake_rules(), fake_space())).close()
    return tmp_path / "s"


def test_every_declared_checkpoint_is_tested_here_and_has_a_name_of_its_own() -> None:
    assert DECLARED.keys() == MADE.keys()
    modules = (checkpoints, jin2022_plan)
    declared = [each for module in modules for each in vars(module).values() if isinstance(each, Checkpoint)]
    assert len(declared) == len(DECLARED)


@pytest.mark.parametrize("name", MADE)
def test_a_decision_comes_back_as_it_was_made(folder: Path, name: str) -> None:
    with open_study(folder) as study:
        assert study.saved(DECLARED[name]) is None
        study.save(DECLARED[name], MADE[name])
    with read_study(folder) as study:
        found = study.saved(DECLARED[name])
    assert found == MADE[name]
    assert type(found) is type(MADE[name])


def test_a_decision_that_is_open_again_is_none(folder: Path) -> None:
    with open_study(folder) as study:
        study.save(checkpoints.DONE, value=True)
        study.save(checkpoints.DONE, None)
        assert study.saved(checkpoints.DONE) is None
        assert not Decisions.read(study).done


@pytest.mark.parametrize("path", FROZEN, ids=lambda path: str(path.parent.name))
def test_the_decisions_of_every_frozen_study_are_read_and_would_be_written_again(path: Path) -> None:
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as database:
        kept = {name: json.loads(value) for name, value in database.execute("SELECT key, value FROM decisions")}
    steps = {f"step-{step['number']}_looks" for step in kept.get("steps", ())}
    assert kept.keys() <= {"plan", *DECLARED, *steps}
    assert StudyKind(kept.get("plan", "tune"))
    for name in kept.keys() & DECLARED.keys():
        value, checkpoint = kept[name], DECLARED[name]
        again = None if value is None else json.loads(json.dumps(checkpoint.write(checkpoint.read(value))))
        assert _with_defaults(name, again) == _with_defaults(name, value)


def _with_defaults(name: str, value: Any) -> Any:
    """Return what a checkpoint holds with the fields that it has gained since."""
    if name == "ablation":
        return {"together": [], "tested": None} | value
    if name == "prune":
        return [{"control": None, "final": False} | step for step in value]
    if name == "design":
        drawn = value["points"].items()
        return value | {"points": {purpose: [[*point, []][:3] for point in points] for purpose, points in drawn}}
    return value


@pytest.mark.parametrize(
    ("name", "older", "found"),
    [
        ("ablation", {"first": 1, "names": ["a"], "pairs": 3}, AblationPlan(1, ("a",), 3)),
        ("prune", [{"number": 2, "removed": ["a"], "accepted": True}], (EliminationTest(2, ("a",), accepted=True),)),
        (
            "design",
            {"wanted": ["sobol", 8, 0, 1], "points": {"sample": [[{"a": 1}, [["threads", 2]]]], "test": []}},
            Design(("sobol", 8, 0, 1), {Purpose.SAMPLE: (Point({"a": 1}, (("threads", 2),)),), Purpose.TEST: ()}),
        ),
    ],
)
def test_what_an_older_version_did_not_keep_has_defaults(folder: Path, name: str, older: Any, found: object) -> None:
    raw(folder, name, older)
    with read_study(folder) as study:
        assert study.saved(DECLARED[name]) == found


@pytest.mark.parametrize("name", ["shares", "stopped", "ablation", "final_ablation", "design"])
def test_what_a_newer_version_added_is_passed_over(folder: Path, name: str) -> None:
    kept = json.loads(json.dumps(DECLARED[name].write(MADE[name])))
    raw(folder, name, {**kept, "of_a_newer_version": [1]})
    with read_study(folder) as study:
        assert study.saved(DECLARED[name]) == MADE[name]


@pytest.mark.parametrize("name", ["rungs", "prune", "final_tests", "steps"])
def test_what_a_newer_version_added_to_records_is_passed_over(folder: Path, name: str) -> None:
    kept = json.loads(json.dumps(DECLARED[name].write(MADE[name])))
    raw(folder, name, [{**each, "of_a_newer_version": 1} for each in kept])
    with read_study(folder) as study:
        assert study.saved(DECLARED[name]) == MADE[name]


@pytest.mark.parametrize(
    ("name", "wrong", "sentence"),
    [
        ("done", "yes", 'it is "yes", neither true nor false'),
        ("trials", 3.5, "it is 3.5, not a whole number"),
        ("finalists", "trial-1", 'it is "trial-1", not a list'),
        ("finalists", ["trial-1", 2], "1 is 2, not a text"),
        ("winner", 1, "it is 1, not a text"),
        ("pruned", {"a": [1]}, "a is a list, not a single value"),
        ("shares", {"budget": [None, 50]}, "finalists is missing"),
        ("shares", {"budget": [None]}, "budget is a list, not a list of two"),
        ("rungs", [{"rung": 0.25}], "0.rung is 0.25, not a text"),
        ("stopped", {"further": 1, "chance": "small"}, 'chance is "small", not a number'),
        ("ablation", [1], "it is a list, not an object"),
        ("ablation", {"first": 1, "names": [3], "pairs": 2}, "names.0 is 3, not a text"),
        ("prune", [{"number": 1, "removed": ["a"], "accepted": 1}], "0.accepted is 1, neither true nor false"),
        ("steps", [{"number": 1}], "0.name is missing"),
        ("design", {"wanted": ["sobol"], "points": {"sample": [7]}}, "points.sample.0 is 7, not a list"),
        ("design", {"wanted": ["sobol"], "points": {"sample": [[]]}}, "points.sample.0 is empty, not values and"),
        ("design", {"wanted": [None], "points": {}}, "wanted.0 is null, not a whole number"),
        ("kept_out", {"x": "two"}, 'x is "two", not a whole number'),
    ],
)
def test_a_wrong_decision_is_an_error_in_one_sentence(folder: Path, name: str, wrong: Any, sentence: str) -> None:
    raw(folder, name, wrong)
    with read_study(folder) as study, pytest.raises(StudyError) as caught:
        study.saved(DECLARED[name])
    assert str(caught.value).startswith(f'checkpoint "{name}" of study "{folder}" cannot be read: {sentence}')
    assert str(caught.value).endswith("; take it from a backup, or use the lsmtune that wrote it")
