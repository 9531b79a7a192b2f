"""What a study says of itself: kept as JSON, read by every later version."""

import ast
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import lsmtune
from lsmtune.errors import StudyError
from lsmtune.indicators import Limit
from lsmtune.model import Configuration, EngineBuild
from lsmtune.result import ArmBuild, InCode, ParameterFacts, Said, StudyFacts, WorkloadFacts
from lsmtune.space import Change, Factor, Kind
from lsmtune.store import DATABASE
from lsmtune.testing import fake_description, fake_rules, fake_space

FROZEN = sorted((Path(__file__).parent.parent / "data" / "studies").glob(f"*/{DATABASE}"))
SOURCE = Path(lsmtune.__file__).parent
LEAST = {"rules": fake_rules().to_json()}
FULL = StudyFacts(
    rules=replace(
        fake_rules(),
        limits=(Limit("space_amp", "<=", 1.5),),
        baselines={"stock": Configuration.of({"sync": False}), "mine": Configuration.of({}, "[DBOptions]\n")},
    ),
    scale=Fraction(1, 64),
    reference_values={"sync": False, "block_size": 4096, "ratio": 0.5, "codec": "lz4"},
    ranges={"block_size": (1024, 65536), "ratio": (0.25, 1)},
    searched=("block_size", "ratio"),
    sampler="agp",
    missing=("bloom_bits",),
    factors=(
        Factor("ratio", Kind.FLOAT, "", 0.5, Change.RESTART, log=True, specials=(0,), conditions={"codec": ("lz4",)}),
        Factor("codec", Kind.CHOICE, "", "lz4", Change.ONLINE, choices=("lz4", "zstd")),
    ),
    bundles=(("block_size", "ratio"),),
    workload=WorkloadFacts(("readrandom",), ("fillseq",), 1000, 16, 100, 4, "wait"),
    builds={
        "finalist-1": ArmBuild(
            "newer",
            EngineBuild("rocksdb", "11.8.1", Path("/x/db_bench"), "ab", False, ("lz4",), (), "db_bench"),
            {"block_size": 4096},
            (("block_size", 4096, 8192),),
            on_demand=True,
        )
    },
    in_code=(InCode("cache_size", 512 << 20, 8 << 20, "B", Said.VALUE),),
    from_files=("fixed by workload: block_size = 4 KiB",),
    column_family="lock",
    whole_file='[Version]\n[CFOptions "default"]\n[CFOptions "lock"]\n',
    search_space=(ParameterFacts("net.size", ("net", "size"), "choice", (1, {"_name": "x"}), (("mode", "fast"),)),),
)


def stored_facts(path: Path) -> dict[str, Any]:
    """Return the facts of a frozen study as they are on disk."""
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as database:
        facts: dict[str, Any] = json.loads(database.execute("SELECT facts FROM description").fetchone()[0])
    return facts


def on_disk(facts: StudyFacts) -> Any:
    return json.loads(json.dumps(facts.to_json()))


def test_facts_come_back_as_they_were_said() -> None:
    assert StudyFacts.from_json(on_disk(FULL)) == FULL
    assert StudyFacts.from_json(FULL.to_json()) == FULL


def test_facts_are_the_same_before_and_after_they_are_stored() -> None:
    assert on_disk(FULL) == FULL.to_json()


@pytest.mark.parametrize("path", FROZEN, ids=lambda path: str(path.parent.name))
def test_the_facts_of_every_frozen_study_are_read_and_would_be_written_again(path: Path) -> None:
    kept = stored_facts(path)
    again = on_disk(StudyFacts.from_json(kept))
    assert again["rules"] == {"pareto": False} | kept["rules"]
    assert {**again, "rules": 0} == {**kept, "rules": 0}


def test_what_an_older_version_did_not_say_has_defaults() -> None:
    found = StudyFacts.from_json(LEAST)
    assert found == StudyFacts(fake_rules())
    assert (found.scale, found.factors, found.workload, found.builds, found.in_code) == (None, None, None, {}, ())


@pytest.mark.parametrize(
    ("absent", "field", "value"),
    [("pareto", "pareto", False), ("timed", "timed", False), ("disturbed", "disturbed", None)],
)
def test_rules_that_an_older_version_did_not_keep_have_defaults(absent: str, field: str, value: object) -> None:
    rules = {name: kept for name, kept in fake_rules().to_json().items() if name != absent}
    found = StudyFacts.from_json({"rules": rules}).rules
    assert getattr(found, field) == value
    assert found.is_older == (absent == "timed")


def test_what_a_newer_version_said_is_kept_and_not_looked_at() -> None:
    newer = {**LEAST, "weather": {"rain": [1, None]}, "workload": {"keys": 5, "colour": "red"}}
    found = StudyFacts.from_json(newer)
    assert found.further == {"weather": {"rain": [1, None]}}
    assert found.workload == WorkloadFacts(keys=5)
    assert on_disk(found)["weather"] == {"rain": [1, None]}


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"rules": None}, "rules is null, not an object"),
        ({"rules": {}}, "rules.objective is missing"),
        ({"rules": {**fake_rules().to_json(), "interest": "3 %"}}, 'rules.interest is "3 %", not a number'),
        (
            {"rules": {**fake_rules().to_json(), "limits": [["waf", "<", 3]]}},
            'rules.limits.0 has the relation "<", neither <= nor >=',
        ),
        ({"scale": 0.5}, "scale is 0.5, not a text"),
        ({"scale": "half"}, 'scale is "half", not a fraction such as 1/64'),
        ({"ranges": {"a": [1]}}, "ranges.a is a list, not a list of two"),
        ({"reference_values": {"a": None}}, "reference_values.a is null, not a single value"),
        ({"searched": "a"}, 'searched is "a", not a list'),
        ({"factors": [{"name": "a", "kind": "colour"}]}, 'factors.0.kind is "colour", none of '),
        ({"workload": {"keys": "many"}}, 'workload.keys is "many", not a whole number'),
        ({"builds": {"finalist-1": {}}}, "builds.finalist-1.name is missing"),
        ({"in_code": [{"option": 1}]}, "in_code.0.option is 1, not a text"),
        ({"search_space": [["a"]]}, "search_space.0 is not a name, a path, a type, arguments and a condition"),
    ],
)
def test_wrong_facts_are_an_error_with_their_place(wrong: Mapping[str, Any], sentence: str) -> None:
    described = replace(fake_description(fake_rules(), fake_space()), facts={**LEAST, **wrong})
    with pytest.raises(StudyError) as caught:
        StudyFacts.of(described)
    assert str(caught.value).startswith(f'the description of study "fake" cannot be read: {sentence}')
    assert str(caught.value).endswith("; take it from a backup, or use the lsmtune that wrote it")


def raw_reads(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that take something out of the JSON of a description: ``x.facts[...]``, ``x.facts.get(...)``."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Subscript | ast.Attribute):
            continue
        facts = node.value
        if isinstance(facts, ast.Attribute) and facts.attr == "facts" and _is_description(facts.value):
            yield node.lineno


def _is_description(owner: ast.expr) -> bool:
    name = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
    return name in {"description", "described", "about", "wanted", "made"}


def test_only_the_facts_themselves_know_how_they_are_stored() -> None:
    found = {
        str(path.relative_to(SOURCE)): lines
        for path in sorted(SOURCE.rglob("*.py"))
        if (lines := list(raw_reads(ast.parse(path.read_text("utf-8")))))
    }
    assert found == {}


def test_a_raw_read_would_be_found() -> None:
    text = 'study.description.facts["a"]\ndescription.facts["a"]\nx.description.facts.get("a")\nruns.facts["a"]\n'
    assert sorted(raw_reads(ast.parse(text))) == [1, 2, 3]
