"""Reading an experiment file: every problem in it at once, each with its line."""

import re
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from lsmtune.backends import Check, KeyPath, Problem, findings
from lsmtune.backends.registry import backend_for, catalogue_of
from lsmtune.errors import ExperimentError
from lsmtune.experiment._axes import check_axes
from lsmtune.experiment._checks import CHECKS, tool_findings
from lsmtune.experiment._checks_sweep import SWEEP, check_sweep
from lsmtune.experiment._experiment import Experiment
from lsmtune.experiment._fields import Source
from lsmtune.experiment._lines import key_lines, line_of
from lsmtune.experiment._messages import problems_of, refusal
from lsmtune.experiment._names import check_names
from lsmtune.experiment._property_files import KEPT, with_property_files
from lsmtune.units import LARGEST

_LARGEST_FILE = 1_000_000
_PLACEHOLDERS: dict[KeyPath, Any] = {
    ("workload",): {"benchmarks": "fillrandom", "num": "1G"},
    ("workload", "benchmarks"): "fillrandom",
    ("workload", "num"): "1G",
    ("workload", "max_rate", "limit"): "5ms",
}
"""Stand in for missing keys, so that what does not depend on them can still be checked."""

_TOML_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_TOML_WORDS = {
    "Cannot overwrite a value": "a key is given twice; keep one of them",
    "Cannot declare": "a table is given twice; keep one of them",
    "Invalid value": 'a value cannot be read; write text in quotes, "...", and true or false in small letters',
    "Invalid statement": "a key cannot be read; write it like num = 1000",
    "Unterminated string": "a text has no closing quote; add it",
    "Expected newline or end of document": "something follows a value; put it on a line of its own",
    "Expected '=' after a key": 'a key has no value; write it like name = "value"',
    "Unclosed array": "a list is not closed; add ]",
    "Expected ']'": "the name of a table is not closed; add ]",
    "Unclosed inline table": "an inline table is not closed; add }",
    "Illegal character '\\n'": "a text has no closing quote on its line; add it",
    "Found invalid character": "a character that TOML does not allow; take it out",
    "Illegal character": "a character that TOML does not allow; take it out",
}


def load_experiment(path: Path, *, searches: bool = True) -> Experiment:
    """Return the experiment that a TOML file describes.

    Args:
        path: of the file.
        searches: whether options are going to be searched, so that the file has to name some.

    Raises:
        ExperimentError: the file cannot be read, or something in it is wrong. The message has one line
            ``file:line: key: sentence`` for each problem, in the order of the file.
    """
    return parse_experiment(_read_text(path), path, searches=searches)


def parse_experiment(text: str, path: Path, *, searches: bool = True) -> Experiment:
    """Return the experiment that `text` describes.

    Args:
        text: TOML.
        path: where it comes from, for messages, the default name, and as the start of relative paths.
        searches: see `load_experiment`.

    Raises:
        ExperimentError: see `load_experiment`.
    """
    document, lines = _read_toml(text, path)
    document.setdefault("name", _default_name(path))
    problems = list(_oversized(document))
    files = with_property_files(_without(document, problems), path.parent)
    kept = "" if KEPT in document else files.kept
    experiment, found = _validate(files.document, Source(path.parent, text + kept, files.notes))
    problems += [*files.problems, *found]
    if experiment is not None and (sentence := refusal(partial(backend_for, experiment.tool, experiment.engine.name))):
        problems.append(Problem(("workload", "tool"), sentence))
        experiment = None  # whatever else it says can only be judged by a tool
    wrong = frozenset(problem.path for problem in problems)
    if experiment is not None:
        problems += tool_findings(experiment, wrong)
        problems += findings(experiment, CHECKS, wrong)
        problems += findings(experiment, (Check(check_axes, (("sample",), ("sweep",), ("workload",))),), wrong)
        known = catalogue_of(experiment.engine.name)
        problems += findings(experiment, (Check(partial(check_sweep, known), (SWEEP,)),), wrong)
        problems += check_names(experiment, known, wrong, searches=searches)
    if problems or experiment is None:
        problems.sort(key=lambda problem: line_of(lines, problem.path))
        raise ExperimentError(
            "\n".join(_on_one_line(f"{path}:{line_of(lines, each.path)}: {each}") for each in problems)
        )
    return experiment


def experiment_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of experiment files, for editors and for the documentation."""
    schema = Experiment.model_json_schema(schema_generator=_TomlSchema)
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        **schema,
        "title": "lsmtune experiment",
        "description": "What is measured, which options are searched, what counts as better, and the budget.",
    }


class _TomlSchema(GenerateJsonSchema):
    """TOML has no null: what may be None inside is a key that may be left out. Titles would only repeat keys."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if schema.get("default", ...) is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def field_title_should_be_set(self, schema: Any) -> bool:
        del schema
        return False


def _read_text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ExperimentError(f"{path} does not exist; write an experiment file with lsmtune init") from None
    except IsADirectoryError:
        raise ExperimentError(f"{path} is a folder; give the experiment file in it") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ExperimentError(f"{path} cannot be read: {reason}; give a readable experiment file") from None
    if len(data) > _LARGEST_FILE:
        raise ExperimentError(f"{path} has {len(data):,} bytes, too many for an experiment file; give another file")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ExperimentError(f"{path}:{line}: this is not UTF-8 text; save the file as UTF-8") from None


def _read_toml(text: str, path: Path) -> tuple[dict[str, Any], dict[KeyPath, int]]:
    """Return the document and the lines of its keys."""
    try:
        document = tomllib.loads(text)
        lines = key_lines(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise ExperimentError(_toml_sentence(str(error), text, path)) from None
    except RecursionError:
        raise ExperimentError(f"{path}: lists or tables are nested too deeply; flatten them") from None
    except ValueError as error:
        raise ExperimentError(f"{path}: this cannot be read: {error}; write plain TOML") from None
    if not document:
        raise ExperimentError(f"{path} is empty; write an experiment file with lsmtune init")
    return document, lines


def _toml_sentence(message: str, text: str, path: Path) -> str:
    """Reword tomllib's message: what, and where."""
    place = _TOML_PLACE.search(message)
    what = message[: place.start()] if place else message
    line = int(place[1]) if place and place[1] else len(text.rstrip().splitlines()) or 1
    column = f" (column {place[2]})" if place and place[2] else ""
    words = next((words for start, words in _TOML_WORDS.items() if what.startswith(start)), None)
    return f"{path}:{line}: {words or f'{what[:1].lower()}{what[1:]}; correct it'}{column}"


def _default_name(path: Path) -> str:
    """Return the file's name without its ending, with dashes for what a name may not hold."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", path.stem).strip("-._")[:80] or "experiment"


def _on_one_line(text: str) -> str:
    """Return the text with escapes for line ends and other control characters that a value may hold."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def _oversized(value: Any, path: KeyPath = ()) -> Iterator[Problem]:
    """Yield a problem for each integer that does not fit in 64 bits; its text alone could take seconds."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _oversized(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _oversized(item, (*path, index))
    elif isinstance(value, int) and abs(value) > LARGEST:
        yield Problem(path, "is a number of more than 64 bits; write a smaller one")


def _validate(document: dict[str, Any], source: Source) -> tuple[Experiment | None, list[Problem]]:
    """Return the experiment and what is wrong in single keys.

    With problems, the experiment is what remains without the wrong keys; None where nothing can remain.
    """
    problems: list[Problem] = []
    while True:
        try:
            return Experiment.model_validate(document, context=source), problems
        except ValidationError as error:
            found = list(problems_of(error))
        problems = problems or found
        smaller = _without(document, found)
        if smaller == document:
            return None, problems
        document = smaller


def _without(document: dict[str, Any], problems: list[Problem]) -> dict[str, Any]:
    """Return a copy without the keys that have a problem, and with placeholders for those that are missing."""
    copy = deepcopy(document)
    for problem in problems:
        table: Any = copy
        *above, last = problem.path
        for key in above:
            if not isinstance(table.get(key), dict):
                last = key
                break
            table = table[key]
        if last in table:
            del table[last]
        elif problem.path in _PLACEHOLDERS:
            table[last] = deepcopy(_PLACEHOLDERS[problem.path])
    return copy
