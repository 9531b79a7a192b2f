"""Parser of what lsmtune-ycsb prints: JSON lines, tolerant of lines that are cut."""

import json
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TypeVar

from pydantic import TypeAdapter

from lsmtune.benches.ycsb._output_values import (
    Compaction,
    Flush,
    Hello,
    Line,
    Output,
    PhaseEnd,
    Progress,
    Stall,
    Summary,
)
from lsmtune.engines.driver import OUTPUT_FORMAT
from lsmtune.errors import RunError

__all__ = ["Output", "PhaseEnd", "Progress", "has_summary", "last_state", "parse_output"]

_T = TypeVar("_T")
_TYPES: Mapping[str, type[Line]] = MappingProxyType(
    {
        "hello": Hello,
        "progress": Progress,
        "phase_end": PhaseEnd,
        "flush": Flush,
        "compaction": Compaction,
        "stall": Stall,
        "summary": Summary,
    }
)
_STATES = ('{"type":"progress"', '{"type":"phase_end"')
_SUMMARY = '{"type":"summary"'


def parse_output(stdout: str) -> Output:
    """Return what a process of lsmtune-ycsb printed.

    A line that is cut or cannot be read becomes an entry of `Output.problems`, and what it would have told is missing.
    Lines of unknown types are passed over.

    Raises:
        RunError: the output has a format that is newer than this lsmtune.
    """
    lines: list[Line] = []
    problems: list[str] = []
    ended = 0
    for number, text in enumerate(stdout.split("\n"), 1):
        if not text.strip():
            continue
        try:
            line = _read(text, ended)
        except ValueError:
            problems.append(f'stdout:{number} a line cannot be read: "{text.strip()[:100]}"')
            continue
        if line is not None:
            lines.append(line)
            ended += isinstance(line, PhaseEnd)
    hello = _last(Hello, lines)
    if hello is not None and hello.format > OUTPUT_FORMAT:
        raise RunError(
            f"lsmtune-ycsb printed output format {hello.format}, and this lsmtune reads up to {OUTPUT_FORMAT}; update "
            "lsmtune, or run make driver"
        )
    return Output(
        hello=hello,
        phases=_all(PhaseEnd, lines),
        summary=_last(Summary, lines),
        flushes=_all(Flush, lines),
        compactions=_all(Compaction, lines),
        stalls=_all(Stall, lines),
        progress=_all(Progress, lines),
        problems=tuple(problems),
    )


def last_state(tail: str) -> Progress | PhaseEnd | None:
    """Return the last whole line about a phase in the end of an output; None where there is none.

    Args:
        tail: the end of what a process printed so far; its first and last line may be cut.
    """
    for text in reversed(tail.split("\n")[:-1]):
        if text.startswith(_STATES):
            try:
                line = _read(text, 0)
            except ValueError:
                continue
            if isinstance(line, Progress | PhaseEnd):
                return line
    return None


def has_summary(tail: str) -> bool:
    """Whether the end of an output holds the summary, after which nothing is left but closing the database."""
    return f"\n{_SUMMARY}" in f"\n{tail}"


def _read(text: str, phase: int) -> Line | None:
    """Return a line; None where its type is unknown.

    Args:
        text: one line of JSON.
        phase: the number of the phase that events belong to.

    Raises:
        ValueError: the line is no object, or lacks a field.
    """
    fields = json.loads(text)
    if not isinstance(fields, dict):
        raise ValueError(text)  # noqa: TRY004 - what cannot be read is one kind of trouble, whatever is wrong with it
    kind = fields.get("type")
    if kind not in _TYPES:
        return None
    return _adapter(kind).validate_python({"phase": phase, **fields})


@cache
def _adapter(kind: str) -> TypeAdapter[Line]:
    return TypeAdapter(_TYPES[kind])


def _all(kind: type[_T], lines: list[Line]) -> tuple[_T, ...]:
    return tuple(line for line in lines if isinstance(line, kind))


def _last(kind: type[_T], lines: list[Line]) -> _T | None:
    return next((line for line in reversed(lines) if isinstance(line, kind)), None)
