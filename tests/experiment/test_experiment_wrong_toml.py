"""Files that are no experiment at all: not there, not text, not TOML. One sentence each, with the line where known."""

from pathlib import Path

import pytest

from lsmtune.errors import ExperimentError
from lsmtune.experiment import load_experiment, parse_experiment

W = '[workload]\nbenchmarks = "fillrandom"\nnum = "64M"\n'

NOT_TOML = {
    "a key twice": (W + "num = 3\n", "4: a key is given twice; keep one of them (column 8)"),
    "a table twice": (W + "[workload]\n", "4: a table is given twice; keep one of them (column 10)"),
    "text without quotes": (
        "[workload]\nbenchmarks = fillrandom\n",
        '2: a value cannot be read; write text in quotes, "...", and true or false in small letters (column 14)',
    ),
    "text without its end": ('name = "x\n', "1: a text has no closing quote on its line; add it (column 10)"),
    "an open table name": ("[workload\nnum = 3\n", "1: the name of a table is not closed; add ] (column 10)"),
    "an open list": ('constraints = [\n "a"\n', "2: a list is not closed; add ]"),
    "two values on a line": (
        'name = "a" scale = 1\n',
        "1: something follows a value; put it on a line of its own (column 12)",
    ),
    "a key without a value": ("name\n", '1: a key has no value; write it like name = "value" (column 5)'),
    "a bad escape": ('name = "a\\q"\n', "1: unescaped '\\' in a string; correct it (column 12)"),
}


@pytest.mark.parametrize("case", NOT_TOML)
def test_wrong_toml_is_refused_with_its_line(case: str) -> None:
    text, expected = NOT_TOML[case]
    with pytest.raises(ExperimentError) as refusal:
        parse_experiment(text, Path("experiment.toml"))
    assert str(refusal.value) == f"experiment.toml:{expected}"


UNREADABLE = {
    "an empty file": (b"", "{path} is empty; write an experiment file with lsmtune init"),
    "comments alone": (b"# nothing\n", "{path} is empty; write an experiment file with lsmtune init"),
    "latin-1": (b'name = "a"\n# caf\xe9\n', "{path}:2: this is not UTF-8 text; save the file as UTF-8"),
    "a zero byte": (b"# \x00", "{path}:1: a character that TOML does not allow; take it out (column 3)"),
    "far too long": (
        b"#" * 1_000_001,
        "{path} has 1,000,001 bytes, too many for an experiment file; give another file",
    ),
    "deep nesting": (
        b"constraints = " + b"[" * 50_000,
        "{path}: lists or tables are nested too deeply; flatten them",
    ),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_an_unreadable_file_is_refused_with_one_sentence(case: str, tmp_path: Path) -> None:
    data, expected = UNREADABLE[case]
    path = tmp_path / "experiment.toml"
    path.write_bytes(data)
    with pytest.raises(ExperimentError) as refusal:
        load_experiment(path)
    assert str(refusal.value) == expected.format(path=path)


def test_an_integer_of_too_many_digits_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match=r"experiment\.toml: this cannot be read: Exceeds the limit"):
        parse_experiment("num = 1" + "0" * 5000, tmp_path / "experiment.toml")


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match=r"gone\.toml does not exist; write an experiment file with lsmtune init"):
        load_experiment(tmp_path / "gone.toml")
    with pytest.raises(ExperimentError, match="is a folder; give the experiment file in it"):
        load_experiment(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(ExperimentError, match="cannot be read: Not a directory"):
        load_experiment(tmp_path / "file" / "experiment.toml")


def test_all_problems_are_reported_in_the_order_of_the_file() -> None:
    text = """\
scale = 3
[workload]
benchmarks = "fillrandon"
threads = 0
treads = 2
[space]
options = ["blom_bits"]
[guards]
space_bytes = "1x"
spaces = "1x"
[search]
cap = 1
"""
    with pytest.raises(ExperimentError) as refusal:
        parse_experiment(text, Path("experiment.toml"))
    places = [line.split(" ")[0] for line in str(refusal.value).splitlines()]
    assert places == [
        "experiment.toml:1:",
        "experiment.toml:2:",
        "experiment.toml:3:",
        "experiment.toml:4:",
        "experiment.toml:5:",
        "experiment.toml:7:",
        "experiment.toml:10:",
        "experiment.toml:12:",
    ]


def test_a_value_of_several_lines_is_shown_on_one() -> None:
    text = W + 'settle = "a\\r\\nb\\u2028"\n[space]\noptions = ["""x\ny"""]\n'
    with pytest.raises(ExperimentError) as refusal:
        parse_experiment(text, Path("experiment.toml"))
    assert str(refusal.value).splitlines() == [
        'experiment.toml:4: workload.settle: "a\\r\\nb\\u2028" is not "wait" or "none"',
        'experiment.toml:6: space.options: "x\\ny" is not an option of rocksdb; look for it in the catalogue',
    ]


def test_a_wrong_key_causes_no_problems_elsewhere() -> None:
    text = (
        '[workload]\nbenchmarks = "readrandom"\nload = 3\nnum = "64M"\n[space]\npreset = 3\nranges.cash = { low = 1 }\n'
    )
    with pytest.raises(ExperimentError) as refusal:
        parse_experiment(text, Path("experiment.toml"))
    assert str(refusal.value).splitlines() == [
        'experiment.toml:3: workload.load: 3 is not a list of names; write "a,b" or ["a", "b"]',
        'experiment.toml:6: space.preset: 3 is not text; write it in quotes, "..."',
        'experiment.toml:7: space.ranges.cash: "cash" is not an option of rocksdb; look for it in the catalogue',
    ]
