"""The page of each target: how to export, load and check a configuration for a system that embeds RocksDB."""

import shutil
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import lsmtune
import lsmtune.space
from docs_pages._markdown import bullets, code, generated, page, paragraph, table
from lsmtune.exporters import ExportContext, find_target
from lsmtune.exporters.targets import Absent, Target, plan
from lsmtune.exporters.targets import code as text_below_head
from lsmtune.result import TuneResult

_STUDY = "tests/data/studies/tune-pruned"
_TABLES = "lsmtune.exporters.targets"
_SHOWN = 24
"""How many lines of the example are shown."""
_ROOT = Path(__file__).parent.parent.parent


def target_page(name: str) -> str:
    """Return the page of a target."""
    target = find_target(name)
    told: dict[str, Any] = tomllib.loads((files(_TABLES) / f"{name}.toml").read_text("utf-8"))["page"]
    return page(
        f"# {target.title[:1].upper()}{target.title[1:]}",
        generated(f"src/lsmtune/exporters/targets/{name}.toml"),
        paragraph(f"`lsmtune export STUDY --for {name} -o {target.file}` writes {target.summary}"),
        table(("Version", "Its RocksDB", "Asked for by"), _versions(target)),
        "## Load it",
        paragraph(told["load"]),
        paragraph(told["effect"]),
        bullets(target.notes),
        "## What it overrides, and notes on single options",
        bullets(_overriding(target)) or paragraph("Nothing that lsmtune knows of, beside what stands above."),
        "## What it lacks",
        bullets(map(_lacking, target.absent)),
        bullets(_without_words(target)),
        *_of_older_versions(target),
        "## How it was checked",
        bullets(told["checked"]),
        *(("What running it showed:", bullets(told["found"])) if "found" in told else ()),
        paragraph(f"Keys and defaults: {target.source}."),
        "## An example",
        paragraph(f"`lsmtune export {_STUDY} --for {name}` writes, below a head with the evidence (cut):"),
        _example(target, told["language"]),
    )


def _versions(target: Target) -> Iterator[tuple[str, str, str]]:
    for place, (version, rocksdb) in enumerate(target.versions.items()):
        asked = code(f"--for {target.name}@{version}")
        yield version, "not known" if rocksdb == "?" else rocksdb, asked if place else code(f"--for {target.name}")


def _overriding(target: Target) -> Iterator[str]:
    for companion in target.companions:
        keys = f"{', '.join(map(code, companion.options))}: " if companion.options else ""
        how = "Written beside it" if companion.options else "Always written"
        beside = f" {how}: `{companion.line}`" if companion.line else ""
        yield f"{keys}{companion.note}{beside}"
    noted: dict[str, list[str]] = {}
    for key in target.keys:
        if key.note:
            # A line of its own shows what the note speaks of.
            shown = f" ({code(key.line)})" if key.line and "{key}" not in key.line else ""
            noted.setdefault(key.note, []).append(", ".join(map(code, key.options)) + shown)
    for note, noting in noted.items():
        yield f"{', '.join(noting)}: {note}"


def _of_older_versions(target: Target) -> Iterator[str]:
    for version in target.versions:
        older = find_target(f"{target.name}@{version}")
        only_there = [absent for absent in older.absent if absent not in target.absent]
        only_there_words = [words for words in _without_words(older) if words not in _without_words(target)]
        if only_there:
            names = [code(name) for absent in only_there for name in absent.options]
            yield paragraph(f"{target.title} {version} also lacks {', '.join(names)}: {only_there[0].why}.")
        if only_there_words:
            yield paragraph(f"In {version} {'; '.join(only_there_words)}.")


def _lacking(absent: Absent) -> str:
    return f"{', '.join(map(code, absent.options))}: {absent.why or absent.title}"


def _without_words(target: Target) -> Iterator[str]:
    options = lsmtune.space.catalogue().options
    for key in target.keys:
        for name in key.options:
            known = key.values or (key.lines if name == key.by and not key.line else {})
            missing = [choice for choice in options[name].choices if choice not in known]
            if known and missing:
                yield f"{code(name)}: no word for {', '.join(missing)}"


@cache
def _result() -> TuneResult:
    """What the study of the examples says; read from a copy, as reading leaves files beside it."""
    with TemporaryDirectory() as folder:
        copied = shutil.copytree(_ROOT / _STUDY, Path(folder) / "study")
        return lsmtune.load(copied).result


def _example(target: Target, language: str) -> str:
    result = _result()
    text = "\n".join(text_below_head(target, plan(target, ExportContext(result, result.build))))
    written = text.strip("\n").splitlines()
    shown = [*written[:_SHOWN], *(["..."] if len(written) > _SHOWN else [])]
    return "\n".join((f"```{language}", *shown, "```"))
