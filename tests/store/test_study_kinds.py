"""What kind of study a folder holds: settled when it begins, and found in what older versions kept."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from store_builders import description

from lsmtune.errors import UsageError
from lsmtune.model import StudyKind
from lsmtune.store import DATABASE, create_study, open_study, read_study

_DESIGN = {"wanted": ["factorial", 8, 0, 1], "points": {}}
_BEFORE = 4  # the schema version before kinds were kept


def older(folder: Path, experiment: str, decisions: Mapping[str, object]) -> Path:
    """A study of the schema version before kinds were kept."""
    create_study(folder, description(experiment=experiment)).close()
    with closing(sqlite3.connect(folder / DATABASE)) as connection, connection:
        for key, value in decisions.items():
            connection.execute("INSERT INTO decisions VALUES (?, ?)", (key, json.dumps(value)))
        connection.execute("ALTER TABLE runs DROP COLUMN host")
        connection.execute(f"PRAGMA user_version = {_BEFORE}")
    return folder


def test_a_study_stays_what_it_was_begun_as(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        study.begin(StudyKind.SWEEP)
    with open_study(tmp_path / "s") as study:
        study.begin(StudyKind.SWEEP)
        with pytest.raises(UsageError, match=r'was begun as "sweep", not as "tune"; .* --study'):
            study.begin(StudyKind.TUNE)
        assert study.kind is StudyKind.SWEEP


def test_what_has_not_begun_is_read_as_a_tuning_and_may_begin_as_anything(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        before = study.kind
        study.begin(StudyKind.SAMPLE)
        assert (before, study.kind) == (StudyKind.TUNE, StudyKind.SAMPLE)


@pytest.mark.parametrize(
    ("experiment", "decisions", "kind"),
    [
        ("", {"shares": {}}, StudyKind.TUNE),
        ("[sweep]\n", {"shares": {}}, StudyKind.TUNE),
        ("", {"plan": "compare"}, StudyKind.COMPARE),
        ("", {"plan": "steps"}, StudyKind.STEPS),
        ("# not a [reproduce] nor a [sweep]\n", {"design": _DESIGN}, StudyKind.SAMPLE),
        ("[sweep]\n", {"design": _DESIGN}, StudyKind.SWEEP),
        ("[sweep]\n", {"design": _DESIGN | {"wanted": ["sobol", 8, 0, 1]}}, StudyKind.SAMPLE),
        ('[sweep]\n[sample]\ndesign = "factorial"\n', {"design": _DESIGN}, StudyKind.SAMPLE),
        ("[reproduce]\n", {"design": _DESIGN}, StudyKind.REPRODUCE),
    ],
)
def test_the_kind_of_an_older_study_is_found(
    tmp_path: Path, experiment: str, decisions: Mapping[str, object], kind: StudyKind
) -> None:
    folder = older(tmp_path / "s", experiment, decisions)
    with read_study(folder) as study:
        assert study.kind is kind
    with open_study(folder) as study:
        study.begin(kind)


def test_an_older_study_that_was_stopped_among_its_baselines_may_begin_as_anything(tmp_path: Path) -> None:
    with open_study(older(tmp_path / "s", "[sweep]\n", {})) as study:
        study.begin(StudyKind.SWEEP)
        assert study.kind is StudyKind.SWEEP


def test_the_byte_order_mark_of_an_older_study_is_left_out(tmp_path: Path) -> None:
    with read_study(older(tmp_path / "s", "\ufeffname = 1\n", {})) as study:
        assert study.description.experiment == "name = 1\n"
