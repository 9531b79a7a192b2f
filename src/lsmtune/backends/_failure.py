"""Why a process of a tool failed, in one sentence; all db_benches speak alike."""

import re
import signal
from collections.abc import Sequence

_PROGRESS = re.compile(r"\.\.\. finished \d+ ops\s*|long op: \S+ micros\s*")
_ASSERTION = re.compile(r"(?P<place>[^\s:/]+:\d+): .*?Assertion [`'](?P<what>.+)' failed")
_CAUSE = re.compile(
    r"^(?:(?:[\w:]+ ){0,4}error\b|unable to |could not |cannot |can't |unknown |invalid |terminate called|"
    r"received signal)",
    re.IGNORECASE,
)
_HEADER = re.compile(r"^(?:RocksDB|LevelDB|Date|CPU|CPUCache):")
_LONGEST = 300


def failure_reason(returncode: int, stdout: str, stderr: str) -> str:
    """Return one sentence that says why a db_bench process failed.

    Args:
        returncode: as `subprocess` gives it (-6 for SIGABRT) or as a shell does (134).
        stdout: what it printed.
        stderr: what it printed there, progress included; looked at first.
    """
    errors, lines = _lines(stderr), _lines(stdout)
    own = (line.removeprefix("ERROR: ") for line in (*errors, *lines) if _CAUSE.match(line))
    return worded("db_bench", returncode, errors or lines, next(own, None))


def worded(program: str, returncode: int, lines: Sequence[str], own: str | None) -> str:
    """Return one sentence that says why a process failed: an assertion, else its own words, else how it ended.

    Args:
        program: what failed.
        returncode: as `subprocess` gives it (-6 for SIGABRT) or as a shell does (134).
        lines: what it printed.
        own: its own words; None where it gave none.
    """
    for line in lines:
        assertion = _ASSERTION.search(line)
        if assertion:
            return _short(f'{program} aborted: the assertion "{assertion["what"]}" failed at {assertion["place"]}')
    if own is not None:
        return _short(f"{program} failed: {own}")
    how = ending(program, returncode)
    return _short(f'{how}; its last line was "{lines[-1]}"' if lines else f"{how} and gave no reason")


def ending(program: str, returncode: int) -> str:
    """Return a sentence, without its stop, that says how a process ended.

    Args:
        program: what ended.
        returncode: as `subprocess` gives it (-6 for SIGABRT) or as a shell does (134).
    """
    number = -returncode if returncode < 0 else returncode - 128
    try:
        return f"{program} was ended by signal {number} ({signal.Signals(number).name})"
    except ValueError:  # no signal, or one of those without a name between SIGRTMIN and SIGRTMAX
        how = f"was ended by signal {number}" if returncode < 0 else f"ended with exit code {returncode}"
        return f"{program} {how}"


def _lines(text: str) -> list[str]:
    cleaned = (_PROGRESS.sub("", line).strip() for line in re.split(r"[\r\n]", text))
    return [line for line in cleaned if line and not _HEADER.match(line)]


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST]}..."
