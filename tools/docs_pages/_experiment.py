"""The page of the experiment file and its JSON Schema."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from docs_pages._markdown import code, generated, page, paragraph, table
from lsmtune.backends.db_bench import commented_experiment
from lsmtune.experiment import experiment_schema
from lsmtune.units import format_bytes

_INTRO = (
    "An experiment is one TOML file. `lsmtune init` writes a commented one for the machine that it runs on, as "
    "[below](#example); `lsmtune tune` names every wrong key and value with its line. The same as a JSON Schema, for "
    "editors: [schema/experiment.schema.json](schema/experiment.schema.json)."
)
_QUANTITIES = (
    'Sizes are written like `"64MiB"` (also `"64M"`, in powers of 1024) or as bytes, counts like `"64M"` (in powers of '
    '1000), times like `"20m"`, `"1h 30m"` or as seconds, the scale like `"1/64"`.'
)
_TYPES = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
_EXAMPLE_VERSION, _EXAMPLE_CORES = "7.8.3", 4
_LARGE = 1 << 20


def experiment_page() -> str:
    """Return the page of the experiment file."""
    schema = experiment_schema()
    properties: Mapping[str, Any] = schema["properties"]
    tables = {key: entry for key, entry in properties.items() if _is_table(entry, schema)}
    top = {**schema, "properties": {key: entry for key, entry in properties.items() if key not in tables}}
    return page(
        "# The experiment file",
        generated("src/lsmtune/experiment/_experiment.py"),
        paragraph(_INTRO),
        paragraph(_QUANTITIES),
        "## Keys at the top",
        _keys(top, schema),
        *(block for key, entry in tables.items() for block in _table(key, entry, schema)),
        "## Example",
        "What `lsmtune init` writes on a machine with four processors:",
        f"```toml\n{commented_experiment(_EXAMPLE_VERSION, _EXAMPLE_CORES).rstrip()}\n```",
    )


def schema_text() -> str:
    """Return the JSON Schema."""
    return json.dumps(experiment_schema(), indent=2) + "\n"


def _table(key: str, entry: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    yield f"## [{key}]"
    found = _resolved(entry, schema)
    yield paragraph(found.get("description", ""))
    if "properties" not in found:
        yield paragraph(f"Keys are names; values: {_type(found['additionalProperties'], schema)}.")
        return
    yield _keys(found, schema)
    for inner, its in found["properties"].items():
        named = _resolved(its.get("additionalProperties") or {}, schema)
        its_table = named if "properties" in named else _resolved(its, schema)
        if "properties" in its_table:
            yield f"### [{key}.{inner}{'.NAME' if its_table is named else ''}]"
            yield paragraph(its_table["description"])
            yield _keys(its_table, schema)


def _keys(holder: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    required = holder.get("required", ())
    return table(
        ("Key", "Type", "Default", "What it says"),
        (
            (
                code(key),
                _type(entry, schema),
                "required" if key in required else _default(entry),
                str(entry.get("description", "")),
            )
            for key, entry in holder["properties"].items()
        ),
    )


def _is_table(entry: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    return _resolved(entry, schema).get("type") == "object"


def _resolved(entry: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in entry:
        return entry
    found: Mapping[str, Any] = schema["$defs"][entry["$ref"].rpartition("/")[2]]
    return {**found, **{key: value for key, value in entry.items() if key != "$ref"}}


def _type(entry: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    found = _resolved(entry, schema)
    if "enum" in found or "const" in found:
        return ", ".join(code(json.dumps(value)) for value in found.get("enum", [found.get("const")]))
    if "anyOf" in found:
        return " or ".join(_type(each, schema) for each in found["anyOf"])
    if "examples" in found:
        return "like " + ", ".join(code(json.dumps(example)) for example in found["examples"])
    if found["type"] == "array":
        return f"list of {_type(found['items'], schema)}s" if found["items"].get("type") == "string" else "list"
    if found["type"] == "object":
        return "table"
    kinds = found["type"] if isinstance(found["type"], list) else [found["type"]]
    return " or ".join(_TYPES[kind] for kind in kinds) + _bounds(found)


def _bounds(found: Mapping[str, Any]) -> str:
    words = {"minimum": "at least", "exclusiveMinimum": "above", "maximum": "at most", "exclusiveMaximum": "below"}
    parts = [f"{word} {_number(found[name])}" for name, word in words.items() if name in found]
    return f", {', '.join(parts)}" if parts else ""


def _number(value: float) -> str:
    return "2^31 - 1" if value == 2**31 - 1 else f"{value:g}"


def _default(entry: Mapping[str, Any]) -> str:
    if entry.get("default") in (None, []):
        return ""
    value = entry["default"]
    if isinstance(value, int) and not isinstance(value, bool) and value >= _LARGE:
        return code(json.dumps(format_bytes(value)))
    return code(json.dumps(value))
