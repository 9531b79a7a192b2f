"""Which of the best are verified where a bound is near."""

from collections.abc import Mapping, Sequence


def first_with_margin(slacks: Sequence[Mapping[str, float]], noise: Mapping[str, float], most: int) -> list[int]:
    """Return the places of the first `most`; the last of them makes room where all of them are near a bound.

    A slack that is smaller than the noise of one run may truly be below 0. Where this holds for all of the first, the
    last one is replaced by the first of the others with a margin in all of its bounds, if there is one.

    Args:
        slacks: of each candidate, the best first: by bound, how far it is from being broken.
        noise: by bound, the standard deviation of the slack of one run; bounds without one are left out.
        most: how many, at least 1.
    """
    safe = [all(slack >= noise[name] for name, slack in each.items() if name in noise) for each in slacks]
    first = list(range(min(most, len(slacks))))
    if most < 2 or any(safe[: len(first)]) or True not in safe:
        return first
    return [*first[:-1], safe.index(True)]
