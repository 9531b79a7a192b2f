"""`lsmtune check`: what it prints, what it refuses, how it ends."""

import json
import shutil
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune

DATA = Path(__file__).parent.parent / "production" / "data" / "canaries"
STUDY = Path(__file__).parent.parent / "data" / "studies" / "tune-pruned"
FILE = """\
[Version]
  rocksdb_version=7.8.3
[DBOptions]
[CFOptions "default"]
  write_buffer_size=268435456
  max_write_buffer_number=2
  compression=kLZ4Compression
"""


@pytest.fixture
def service(tmp_path: Path) -> Path:
    shutil.copytree(STUDY, tmp_path / "study")
    folder = tmp_path / "db"
    folder.mkdir()
    (folder / "OPTIONS-000007").write_text(FILE)
    return folder


def canaries() -> list[str]:
    return [word for path in sorted(DATA.iterdir()) for word in (f"--{path.name.split('-')[0]}", str(path))]


def test_what_a_service_runs_of_a_study_is_told(lsmtune: Lsmtune, service: Path) -> None:
    study = str(service.parent / "study")
    code, out, _ = lsmtune("check", str(service), "--against", study)
    assert code == 0
    assert "does not run what" in out
    assert "2 of 3 changes as exported" in " ".join(out.split())
    code, out, _ = lsmtune("check", str(service), "--against", study, "--json", "--exit-code")
    assert (code, json.loads(out)["runs_it"]) == (3, False)


def test_canaries_are_compared_with_controls(lsmtune: Lsmtune) -> None:
    code, out, _ = lsmtune("check", *canaries(), "--exit-code")
    said = " ".join(out.split())
    assert code == 0
    assert "Shown to be better: bytes of flushes and compactions per byte of users" in said
    assert "95.0 % intervals for all figures together" in said
    code, out, _ = lsmtune("check", *canaries(), "--json")
    effects = {each["figure"]: each for each in json.loads(out)["effects"]}
    assert effects["bytes of flushes and compactions per byte of users"]["high"] < 1
    assert code == 0


def test_a_change_for_the_worse_ends_with_3(lsmtune: Lsmtune) -> None:
    back = [{"--canary": "--control", "--control": "--canary"}.get(word, word) for word in canaries()]
    code, out, err = lsmtune("check", *back, "--since", "2026-11-23 00:00")
    assert code == 2, out  # nothing was written on one side of that time
    assert "users wrote before the change" in err


WRONG = {
    "nothing": ((), "give the folder of the service's database and --against STUDY"),
    "no study": (("db",), "--against STUDY"),
    "both kinds": (("db", "--canary", "a"), "leave PATH, --against and --family out"),
    "canaries of a family": (
        ("--canary", "a", "--control", "b", "--family", "x"),
        "leave PATH, --against and --family",
    ),
    "a roll-out since": (
        ("db", "--against", "s", "--since", "2026-11-23 00:00"),
        "--since is of --canary and --control",
    ),
    "canaries alone": (("--canary", "a"), "both canaries and controls are needed"),
    "no time": (("--canary", "a", "--control", "b", "--since", "noon"), '--since "noon" is not a time'),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_meant_is_told_in_a_sentence(lsmtune: Lsmtune, case: str) -> None:
    words, sentence = WRONG[case]
    code, _, err = lsmtune("check", *words)
    assert code == 2
    assert sentence in " ".join(err.split())
