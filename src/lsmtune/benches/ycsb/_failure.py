"""Why a process of lsmtune-ycsb failed, in one sentence."""

import re
import signal

_OWN = re.compile(r"(?:lsmtune-)?ycsb: (.+)")
_ASSERTION = re.compile(r"(?P<place>[^\s:/]+:\d+): .*?Assertion [`'](?P<what>.+)' failed")
_LONGEST = 300


def failure_reason(returncode: int, stderr: str) -> str:
    """Return one sentence that says why a process failed.

    Args:
        returncode: as `subprocess` gives it (-6 for SIGABRT), or as a shell and the driver do (134, 130).
        stderr: what it printed there: the driver's own sentence, or an assertion of the engine.
    """
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    for line in lines:
        assertion = _ASSERTION.search(line)
        if assertion:
            return _short(f'lsmtune-ycsb aborted: the assertion "{assertion["what"]}" failed at {assertion["place"]}')
    for line in reversed(lines):
        own = _OWN.fullmatch(line)
        if own:
            return _short(f"lsmtune-ycsb failed: {own[1]}")
    ending = _ending(returncode)
    return _short(f'{ending}; its last line was "{lines[-1]}"' if lines else f"{ending} and gave no reason")


def _ending(returncode: int) -> str:
    number = -returncode if returncode < 0 else returncode - 128
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"lsmtune-ycsb ended with exit code {returncode}"
    return f"lsmtune-ycsb was ended by signal {number} ({name})"


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST]}..."
