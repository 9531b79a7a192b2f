"""The JSON Schema, the examples and the file that ``lsmtune init`` writes agree with what is read."""

import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from lsmtune.backends.db_bench import commented_experiment
from lsmtune.backends.ycsb import commented_leveldb_experiment
from lsmtune.experiment import experiment_schema, load_experiment, parse_experiment
from lsmtune.space import catalogue, library_values

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.toml"))


def refusals(document: dict[str, Any]) -> list[str]:
    """What the schema finds wrong with a document."""
    validator = jsonschema.Draft202012Validator(experiment_schema())
    return [error.message for error in validator.iter_errors(document)]


def test_the_schema_is_a_schema_of_its_draft() -> None:
    schema = experiment_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"] == "lsmtune experiment"


def test_every_key_has_a_description() -> None:
    schema = experiment_schema()
    tables = {"experiment": schema, **schema["$defs"]}
    bare = [
        f"{table}.{key}"
        for table, content in tables.items()
        for key, field in content.get("properties", {}).items()
        if not (field.get("description") or schema["$defs"].get(field.get("$ref", "").rpartition("/")[2]))
    ]
    assert bare == []


def test_the_time_of_a_budget_without_any_limit_is_described_with_all_that_takes_its_place() -> None:
    said = experiment_schema()["$defs"]["BudgetTable"]["properties"]["time"]["description"]
    for key in ("runs", "trials"):
        text = f'[workload]\nbenchmarks = "fillrandom"\nnum = "64M"\n[space]\npreset = "all"\n[budget]\n{key} = 40\n'
        assert parse_experiment(text, Path("e.toml")).budget.time_s is None
        assert key in said.partition(";")[2]


def test_there_are_examples() -> None:
    assert [path.stem for path in EXAMPLES] == [
        "demo",
        "fillrandom",
        "leveldb",
        "max-rate",
        "mixgraph",
        "readwhilewriting",
    ]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_an_experiment_and_fits_the_schema(path: Path) -> None:
    experiment = load_experiment(path)
    assert experiment.name == path.stem
    assert refusals(tomllib.loads(path.read_text())) == []


@pytest.mark.parametrize(
    "change",
    [
        {"workload": {"benchmarks": "fillrandom"}},
        {"unknown": 1},
        {"search": {"cap": 1.0}},
        {"search": {"finalists": 9}},
        {"search": {"sampler": "hyperband"}},
        {"budget": {"time": None}},
        {"guards": {"waf": 1.1}},
    ],
)
def test_the_schema_refuses_what_is_wrong(change: dict[str, Any]) -> None:
    document = {"workload": {"benchmarks": "fillrandom", "num": "64M"}, "space": {"preset": "all"}}
    assert refusals(document) == []
    assert len(refusals({**document, **change})) == 1


@pytest.mark.parametrize("cores", [1, 2, 64])
def test_the_commented_experiment_can_be_read(cores: int) -> None:
    text = commented_experiment("7.8.3", cores)
    experiment = parse_experiment(text, Path("new.toml"))
    assert 1 <= experiment.workload().threads <= max(1, cores - 1)
    assert refusals(tomllib.loads(text)) == []
    assert "db_bench 7.8.3 was found" in text


@pytest.mark.parametrize(
    ("text", "engine"),
    [(commented_experiment("7.8.3", 4), "rocksdb"), (commented_leveldb_experiment("1.23", 4), "leveldb")],
)
def test_the_commented_experiment_has_data_that_the_reference_compacts_and_a_guard_on_memory(
    text: str, engine: str
) -> None:
    experiment = parse_experiment(text, Path("new.toml"))
    memtable_bytes = library_values(catalogue(engine), (7, 8, 3))["write_buffer_size"]
    assert isinstance(memtable_bytes, int)
    assert experiment.workload().data_bytes > 50 * memtable_bytes  # below 50 flushes the linter calls a tree small
    assert {guard.indicator for guard in experiment.guards()} >= {"space_bytes", "memory_peak_bytes"}


def test_the_commented_experiment_can_name_any_path() -> None:
    path = Path('/opt/a "b"\\c\x7f/db_bench')
    text = commented_experiment("11.8.1", 2, db_bench=path, exclude=("compression_type",))
    experiment = parse_experiment(text, Path("new.toml"))
    assert experiment.engine.db_bench == path
    assert experiment.space.exclude == ("compression_type",)


def test_what_the_commented_experiment_shows_in_comments_can_be_said() -> None:
    text = commented_experiment("7.8.3", 4)
    shown = re.sub(
        r"^# (?=(constraints|measure|duration|\[|mix_|options = |write_|compression_type|bloom|waf|latency|runs))",
        "",
        text,
        flags=re.MULTILINE,
    )
    experiment = parse_experiment(shown, Path("new.toml"))
    assert experiment.budget.runs == 100
    assert experiment.space.fixed == {"bloom_bits": 10}
    assert len(experiment.space.ranges) == 2
    assert {guard.indicator for guard in experiment.guards()} == {
        "space_bytes",
        "memory_peak_bytes",
        "latency_p99_s",
        "waf",
    }
