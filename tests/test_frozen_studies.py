"""Finished studies of every kind, made by the code of earlier commits, say today what they said then.

They lie in ``tests/data/studies``, each with what was said of it; `tools/freeze_studies.py` made them. All that was
said then is said today; a key that a JSON object has in addition is no difference.
"""

import functools
import importlib
import json
import math
import re
import shutil
import sqlite3
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import closing
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from cli_fixtures import Lsmtune

from lsmtune import study as studies
from lsmtune.store import DATABASE, open_study
from lsmtune.store._schema import SCHEMA_VERSION, read_version

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "tests" / "data" / "studies"
_GONE = object()
_DRAWN = re.compile(r"[\u2500-\u257f#]+")
STUDIES = sorted(path.parent.name for path in FOLDER.glob(f"*/{DATABASE}"))
EXPORTS = sorted((path.parent.name, path.suffix[1:]) for path in FOLDER.glob("*/export.*"))

RENAMED = {
    "make rocksdb builds one": "lsmtune build rocksdb builds one",
    "taken back": "reverted",
    "put back": "reverted",
    "stopped as hopeless": "censored",
    "Runs censored": "Censored runs",
    "Warnings": "Findings",
    "further warning": "further finding",
    "Take the configuration home with": "Export it with",
    "take the configuration home as it is": "export it as it is",
    " has it where ": " wins at ",
    "Keep the starting point;": "Keep the reference;",
    "Take what was chosen home with": "Export the chosen member with",
    "stalled, which leaves open that up to": "stalled; up to",
    "of runs do (at 95 %)": "of all its runs may stall (at 95 %)",
    "so that it may be less": "so the true gain may be smaller",
    "slows it down by a share that is not the same for all options": "slows it down, by a different share for each "
    "option",
    "intervals tell of the machine's noise alone": "intervals cover only the machine's noise",
    "came to no end as others filled the disk": "did not finish because others filled the disk",
    "the load does not fit the reads": "the load does not match the reads",
    "so nothing is said about it": "so no effect can be computed",
    "says what came of the published pipeline": "shows the results of the published pipeline",
    "that there is a gain was shown before, how large it is these runs alone leave open": "a gain was shown before, "
    "but these runs alone do not tell how large it is",
    " of what the winner has in the objective. That this is at least ": " of the winner's objective. It is not shown "
    "to reach at least ",
    ", as good as the winner, is not shown, so all changes stay": ", so all changes stay",
    "with too few pairs to say its effect": "with too few pairs to estimate its effect",
    "Measured at full size, as which all values stand here": "Measured at full size; all values here are at full "
    "size, too",
    " where nothing else is said": " unless stated otherwise",
    ", and says nothing beyond": ", and no claim beyond that",
    "better, as far as the trials tell": "better, judged by the trials",
    "The study has not come to its end; this is what it says so far": "The study has not ended; this is its state "
    "so far",
}
"""What is called otherwise now (decision 0053, and the glossary): the words of then are read with those of now."""

VOLATILE = ("export.json:lsmtune_version", "export.json:engine.written_for.*")
"""What follows from the lsmtune and the engine that are here today."""
_CODED, _NAMED, _SWEPT = "warnings begin with their code", "the winner is named", "a sweep was shown as a sample"
_USUAL = "an OPTIONS file is what export writes unless told otherwise"
_TOGETHER = "intervals hold together over looks and candidates, and guards are judged by such intervals (decision 0034)"
_EARNED = "what changes earned is judged together"
_MOVED = "what confirmed a smaller configuration stands under repetition, and limits have intervals"
_OLDER = "the linter names the older rules by which the study was judged"
_CHOSE = "a gain from the runs that chose the winner says so"
_BARRED = "runs of the winner failed, so nothing is exported"
_SCATTER = (
    "what pairs can show follows from the pairs of a look, or from neighbouring runs, with an interval (decision 0035)"
)
_WHERE = "what a change earned in another configuration than the final one says so"
_EFFECT = "what a change earned is called its ablation effect (decision 0040)"
_OPEN = "a guard that the runs leave open accepts nothing"
_CALLED = "a run that others disturbed is called so, and those that they spoiled are named beside"
_STORY = "the report is told as a story: before and after stand under a heading of their own"
CHANGED: Mapping[str, Mapping[str, str]] = {
    "*": {
        "show.json:format": _MOVED,
        "show.json:confirmed*": _MOVED,
        "*.broken_limits.*": _MOVED,
        "*.json:*.low": _TOGETHER,
        "*.json:*.high": _TOGETHER,
        "*.json:*level": _TOGETHER,
        "*.json:*.equivalence": _TOGETHER,
        "*.json:*.smallest_detectable": _TOGETHER,
        "*.json:*.p_holm": _TOGETHER,
        "show.json:detectable.*": _SCATTER,
        "*.txt:?.?": _SCATTER,  # a figure of that sentence, and the last word of it
        "*.txt:throughput.": _SCATTER,
        "*.txt:memory.": _SCATTER,
        "*.txt:score.": _SCATTER,
        "*.json:*earned*": _EARNED,
        "*.json:warnings.length": _OLDER,
        "*.json:findings.length": _OLDER,
        "*.json:sentence": _CHOSE,
        "*:*[[]*": _TOGETHER,  # words with an interval
        "*:*[]]*": _TOGETHER,
        "*:*97.8*": _TOGETHER,
        "report.txt:*.??x*": _TOGETHER,
        "*.txt:+ better": _TOGETHER,
        "*.txt:- worse": _TOGETHER,
        "*.txt:3": _TOGETHER,  # one column of a table is wider
        "*.txt:●*": _TOGETHER,
        "*.txt:n =": _EARNED,
        "*.txt:*earned*": _EARNED,
        "*.txt:*changed.": _CHOSE,
        "*.txt:contaminated": _CALLED,
        "report.txt:Against": _STORY,
        "report.txt:Against the reference": _STORY,
        "report.txt:None of the checks found anything.": _OLDER,
        "report.txt:[Ww]hat": _EFFECT,
        "export.*:[Ee]arned*": _EFFECT,
        "export.*:earn anything by itself": _EFFECT,
        "export.*:number of changes.": _EARNED,
        "export.*:interval, not corrected for": _EARNED,
        "export.*:looks;": _TOGETHER,
        "export.*:with its": _EARNED,
    },
    "tune-failing": {"*": _BARRED},
    "nni-*": {
        "report.txt:None": _OLDER,
        "report.txt:None of": _OLDER,
        "report.txt:checks": _OLDER,
        "report.txt:anything.": _OLDER,
    },
    "*tune-pruned": {"export.*:itself": _WHERE, "export.*:3": _WHERE},
    "*compare": {
        "*.json:verified.2.claim.*": _TOGETHER,
        "*.json:verified.2.accepted": _TOGETHER,
        "*.txt:improved": _TOGETHER,
    },
    "tune-guard-open": {
        "*.json:state": _OPEN,
        "*.json:next_step": _OPEN,
        "*.json:*.accepted": _OPEN,
        "*.txt:*": _OPEN,
    },
    "schema-?-*": {"*.json:warnings.0": _CODED, "*:assertion build:": _CODED},
    "schema-1-tune-pruned": {"show.json:next_step": _USUAL, "show.txt:STUDY --format options-file`.": _USUAL},
    "schema-2-compare": {
        "show.json:sentence": _NAMED,
        "*:Improved:": _NAMED,
        "*:result": _NAMED,
        "*:the result;": _NAMED,
    },
    "schema-2-sweep-options": {"show.*": _SWEPT, "report.txt:*": _SWEPT},
}
"""What is said otherwise today, and why: patterns of keys by patterns of names of studies, for fnmatch.

A key is a file with the way to a value of JSON, ``show.json:verdict.claim.low``, or with the words that it had and has
no more, ``report.txt:97.8 % interval``.
"""


@pytest.fixture(autouse=True)
def _one_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Find out only once what the db_bench of this machine is."""
    monkeypatch.setattr(studies, "find_again", _find_again)


_find_again = functools.cache(studies.find_again)


@pytest.fixture
def words_of_page(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("freeze_studies").words_of_page


def copied(name: str, folder: Path) -> str:
    """Copy a frozen study into a folder, and return its name."""
    (folder / name).mkdir()
    for file in (DATABASE, "experiment.toml"):
        shutil.copy(FOLDER / name / file, folder / name)
    return name


def then(name: str, file: str) -> str:
    return (FOLDER / name / file).read_text()


def leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values in a JSON document by the way to them, and the lengths of its lists."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from leaves(item, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        yield f"{key}.length", len(value)
        for place, item in enumerate(value):
            yield from leaves(item, f"{key}.{place}")
    else:
        yield key, renamed(value) if isinstance(value, str) else value


def renamed(text: str) -> str:
    """Return a text with the words that are used now."""
    for before, now in RENAMED.items():
        text = text.replace(before, now)
    return text


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, apart from what another processor rounds otherwise."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return type(one) is type(other) and bool(one == other)


def parts(file: str, text: str) -> dict[str, Any]:
    """Return the values of JSON, or of an export, by their keys."""
    if file.endswith(".json"):
        return {f"{file}:{key}": value for key, value in leaves(json.loads(text))}
    if file.startswith("export."):
        return {f"{file}:values": [line for line in text.splitlines() if line and not line.startswith("#")]}
    return {}


def words(file: str, text: str) -> list[str]:
    """Return the words of a text, or of the comments of an export, without lines that are drawn."""
    lines = [line for line in text.splitlines() if not file.startswith("export.") or line.startswith("#")]
    return [word for line in lines for word in line.split() if not _DRAWN.fullmatch(word)]


def lost_words(file: str, before: str, now: str) -> Iterator[tuple[str, str]]:
    """Yield the words that a text has no more, with those in their place."""
    old, new = renamed(" ".join(words(file, before))).split(), words(file, now)
    for kind, start, end, low, high in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind in ("replace", "delete"):
            yield " ".join(old[start:end]), " ".join(new[low:high])


def differences(name: str, file: str, today: str) -> dict[str, tuple[Any, Any]]:
    """Return what was said in a file of a study, and what is said today, where that differs and may not."""
    before, now = then(name, file), parts(file, today)
    found = {
        key: (value, now.get(key)) for key, value in parts(file, before).items() if not same(value, now.get(key, _GONE))
    }
    if not file.endswith(".json"):
        found |= {f"{file}:{lost}": (lost, instead) for lost, instead in lost_words(file, before, today)}
    allowed = [*VOLATILE, *(key for study, keys in CHANGED.items() if fnmatchcase(name, study) for key in keys)]
    return {key: both for key, both in found.items() if not any(fnmatchcase(key, each) for each in allowed)}


_FORMER_ORDER = (
    *("summary", "winners", "by-phase", "cells", "lines", "comparison", "costs", "changes", "phases", "tails"),
    *("inside", "search", "tradeoff", "runs", "importance", "trust", "troubles", "warnings", "origin"),
)
"""Of the sections of a report before it was told as a story."""
_SINCE = frozenset({"repeated", "what-if"})
"""Sections that came later; they are left out."""
_SECTION = re.compile(r'<section id="([^"]+)".*?</section>\n', re.DOTALL)
_TITLE = re.compile(r'class="title"[^>]*>([^<]*)<')
_WAYS = re.compile(r"<nav.*?</nav>", re.DOTALL)
_GUARDS = re.compile(r'<div class="scroll"[^>]*aria-label="Guards and limits">.*?</div>\n', re.DOTALL)


def in_the_former_order(page: str) -> str:
    """Return a page with its sections as they stood when the studies were frozen, so that their words can be compared.

    What had to hold stood behind the table of indicators then, and has a section with other costs now.
    """
    found = {match[1]: match[0] for match in _SECTION.finditer(page) if match[1] not in _SINCE}
    assert found.keys() <= set(_FORMER_ORDER)
    guards = _GUARDS.search(found.get("costs", ""))
    if guards is not None:
        head, end, rest = found["comparison"].partition("</table>\n</div>\n")
        assert end, "the table of indicators stands first"
        found["costs"] = found["costs"].replace(guards[0], "")
        found["comparison"] = f"{head}{end}{guards[0]}{rest}"
    ordered = [found[key] for key in _FORMER_ORDER if key in found]
    titles = " ".join(match[1] for each in ordered if (match := _TITLE.search(each)))
    first = page.index('<section id="')
    return _WAYS.sub(f"<nav>{titles}</nav>", page[:first]) + "".join(ordered) + _SECTION.sub("", page[first:])


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_is_shown_as_it_was(lsmtune: Lsmtune, tmp_path: Path, name: str) -> None:
    study = copied(name, tmp_path)
    before = (tmp_path / study / DATABASE).read_bytes()
    for file, options in (("show.txt", ()), ("show.json", ("--json",))):
        code, out, err = lsmtune("show", study, *options)
        assert code == 0, err
        assert differences(name, file, out) == {}
    assert (tmp_path / study / DATABASE).read_bytes() == before


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_has_a_report_with_the_words_it_had(
    lsmtune: Lsmtune, tmp_path: Path, words_of_page: Any, name: str
) -> None:
    study = copied(name, tmp_path)
    code, _, err = lsmtune("report", study)
    assert code == 0, err
    page = words_of_page(in_the_former_order(Path(study, "report.html").read_text()))
    assert page.startswith(tomllib.loads(then(name, "experiment.toml")).get("name", "nni-command"))
    if (FOLDER / name / "report.txt").exists():  # older commits had no report of it
        assert differences(name, "report.txt", page) == {}


@pytest.mark.parametrize("name", ["schema-1-tune-pruned", "nni-command", "sample"])
def test_a_study_has_a_small_report(lsmtune: Lsmtune, tmp_path: Path, words_of_page: Any, name: str) -> None:
    code, _, err = lsmtune("report", copied(name, tmp_path), "--lite")
    assert code == 0, err
    page = words_of_page(Path(name, "report-lite.html").read_text())
    before_intervals = json.loads(then(name, "show.json")).get("sentence", name).partition(" [")[0]
    assert before_intervals in " ".join(page.split())


@pytest.mark.parametrize(("name", "kind"), EXPORTS)
def test_a_study_is_exported_as_it_was(lsmtune: Lsmtune, tmp_path: Path, name: str, kind: str) -> None:
    study = copied(name, tmp_path)
    if name == "tune-guard-open":
        code, _, err = lsmtune("export", study, "--format", kind)
        assert (code, "--guard-undecided" in err) == (2, True)
    code, out, err = lsmtune("export", study, "--format", kind, "--guard-undecided")
    assert code == 0, err
    assert differences(name, f"export.{kind}", out) == {}


@pytest.mark.parametrize("name", [name for name in STUDIES if name.startswith("schema-")])
def test_a_study_of_an_older_schema_is_converted_by_opening_it_and_says_the_same(
    lsmtune: Lsmtune, tmp_path: Path, name: str
) -> None:
    study = copied(name, tmp_path)
    assert version(tmp_path / study) == int(name.split("-")[1]) < SCHEMA_VERSION
    open_study(tmp_path / study).close()
    assert version(tmp_path / study) == SCHEMA_VERSION
    assert differences(name, "show.json", lsmtune("show", study, "--json")[1]) == {}


def test_a_study_whose_runs_were_altered_is_noticed(lsmtune: Lsmtune, tmp_path: Path) -> None:
    study = copied("tune-pruned", tmp_path)
    with closing(sqlite3.connect(tmp_path / study / DATABASE)) as connection, connection:
        connection.execute(
            "UPDATE indicator_values SET value = value * 1.01 WHERE indicator ="
            " (SELECT id FROM indicators WHERE name = 'throughput_settled_ops_s')"
            " AND run = (SELECT max(id) FROM runs WHERE purpose = 'confirm' AND status = 'ok')"
        )
    assert "show.json:verdict.claim.gain" in differences(study, "show.json", lsmtune("show", study, "--json")[1])
    assert differences(study, "show.txt", lsmtune("show", study)[1]) != {}


def version(study: Path) -> int:
    """Return the schema version of a study."""
    with closing(sqlite3.connect(study / DATABASE)) as connection:
        return read_version(connection)
