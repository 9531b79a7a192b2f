"""What the user calls the configurations and builds that a study compares."""

from lsmtune.model import StudyKind
from lsmtune.result import Comparison, TuneResult, finalist


def own_name(result: TuneResult, comparison: Comparison) -> str | None:
    """Return the user's name of a configuration or build; None for what lsmtune put together by itself."""
    other = result.builds.get(comparison.arm)
    if other is not None:
        return other.name
    if result.decisions.plan is not StudyKind.COMPARE:
        return None
    names = {finalist(place): name for place, name in enumerate(result.decisions.finalists or (), start=1)}
    return names.get(comparison.arm)


def quoted_name(result: TuneResult, comparison: Comparison) -> str | None:
    """Return the user's name with a build's version: ``"ours"``, ``"my branch" (11.8.1)``; None as in `own_name`."""
    name, other = own_name(result, comparison), result.builds.get(comparison.arm)
    if name is None or other is None or name.startswith(other.build.version):
        return None if name is None else f'"{name}"'
    return f'"{name}" ({other.build.version})'


def best_words(result: TuneResult, best: Comparison, *, so_far: str = "") -> str:
    """Name the best of what was verified, as the subject of a sentence; `so_far` follows where more may come."""
    name = quoted_name(result, best)
    if name is None:
        return f"the best finalist{so_far}"
    return f"{name}{so_far}" if len(result.verified) == 1 else f"the best of them{so_far}, {name},"


def candidate_word(result: TuneResult, comparison: Comparison) -> str:
    """Return what heads the column of what is compared with the reference."""
    return own_name(result, comparison) or ("result" if result.improved else "finalist")
