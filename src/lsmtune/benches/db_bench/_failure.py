"""Why a db_bench process failed, in one sentence."""

import re
import signal

_PROGRESS = re.compile(r"\.\.\. finished \d+ ops\s*")
_ASSERTION = re.compile(r"(?P<place>[^\s:/]+:\d+): .*?Assertion [`'](?P<what>.+)' failed")
_CAUSE = re.compile(
    r"^(?:(?:[\w:]+ ){0,4}error\b|unable to |could not |cannot |can't |unknown |invalid |terminate called|"
    r"received signal)",
    re.IGNORECASE,
)
_HEADER = re.compile(r"^(?:RocksDB|Date|CPU|CPUCache):")
_LONGEST = 300


def failure_reason(returncode: int, stdout: str, stderr: str) -> str:
    """Return one sentence that says why a db_bench process failed.

    Args:
        returncode: as `subprocess` gives it (-6 for SIGABRT) or as a shell does (134).
        stdout: what it printed.
        stderr: what it printed there, progress included; looked at first.
    """
    errors, lines = _lines(stderr), _lines(stdout)
    for line in errors:
        assertion = _ASSERTION.search(line) if "Assertion" in line else None
        if assertion:
            return _short(f'db_bench aborted: the assertion "{assertion["what"]}" failed at {assertion["place"]}')
    for line in (*errors, *lines):
        if _CAUSE.match(line):
            return _short(f"db_bench failed: {line.removeprefix('ERROR: ')}")
    ending = _ending(returncode)
    last = next(reversed(errors or lines), "")
    return _short(f'{ending}; its last line was "{last}"' if last else f"{ending} and gave no reason")


def _lines(text: str) -> list[str]:
    cleaned = (_PROGRESS.sub("", line).strip() for line in re.split(r"[\r\n]", text))
    return [line for line in cleaned if line and not _HEADER.match(line)]


def _ending(returncode: int) -> str:
    number = -returncode if returncode < 0 else returncode - 128
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"db_bench ended with exit code {returncode}"
    return f"db_bench was ended by signal {number} ({name})"


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST]}..."
