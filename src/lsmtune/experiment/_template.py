"""The commented experiment file that ``lsmtune init`` writes."""

import os
from pathlib import Path

from lsmtune.backends import Backend, Needs, expanded
from lsmtune.backends.registry import engines, tools_of
from lsmtune.errors import UsageError


def starting_engines() -> tuple[str, ...]:
    """Return the names of the engines that there is a file to start from for."""
    return tuple(engine for engine in engines() if any(each.has_starting_text for each in tools_of(engine).values()))


def starting_needs(engine: str) -> Needs:
    """Return what a first experiment on an engine is about where nobody says anything.

    Raises:
        UsageError: see `starting_experiment`.
    """
    return _backend(engine).needs


def starting_experiment(engine: str, program: Path | None = None, needs: Needs | None = None) -> str:
    """Return a commented experiment file for an engine, as it is found on this machine.

    Args:
        engine: its name.
        program: what drives it, where the user names one.
        needs: what the experiment is about; left out, `starting_needs`.

    Raises:
        UsageError: there is no such engine, none of its tools has a file to start from, or it takes no named program.
        EngineError: no program that drives it was found.
    """
    backend = _backend(engine)
    if program is not None and not backend.flag:
        raise UsageError(
            f"--db-bench {program} is not used by {backend.program}, which drives {engine} in this file; leave it out, "
            f'and write "{backend.key}" under [engine] where another one is meant'
        )
    build = backend.find(engine, program, backend.flag or f"engine.{backend.key}")
    path = None if program is None else expanded(program).resolve()
    return backend.starting_text(build, len(os.sched_getaffinity(0)), path, needs or backend.needs)


def _backend(engine: str) -> Backend:
    if engine not in engines():
        raise UsageError(f'"{engine}" is not an engine; choose {" or ".join(engines())}')
    for backend in tools_of(engine).values():
        if backend.has_starting_text:
            return backend
    raise UsageError(f"there is no file to start from for {engine}; docs/reference/experiment-file.md has all keys")
