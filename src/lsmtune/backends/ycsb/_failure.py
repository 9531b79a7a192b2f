"""Why a process of lsmtune-ycsb failed, in one sentence."""

import re

from lsmtune.backends._failure import worded

_OWN = re.compile(r"(?:lsmtune-)?ycsb: (.+)")


def failure_reason(returncode: int, stderr: str) -> str:
    """Return one sentence that says why a process failed.

    Args:
        returncode: as `subprocess` gives it (-6 for SIGABRT), or as a shell and the driver do (134, 130).
        stderr: what it printed there: the driver's own sentence, or an assertion of the engine.
    """
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    own = (match[1] for line in reversed(lines) if (match := _OWN.fullmatch(line)))
    return worded("lsmtune-ycsb", returncode, lines, next(own, None))
