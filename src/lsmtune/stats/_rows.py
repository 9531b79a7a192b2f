"""Arms in several rows of a table, such as the phases of a workload: ratios to the first arm, and who leads."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lsmtune.stats._many_to_one import many_to_one
from lsmtune.stats._pairs import compare_log_ratios

_LEAST_BLOCKS = 2


@dataclass(frozen=True)
class ArmRatio:
    """One arm over another one.

    Attributes:
        n: blocks.
        ratio: geometric mean of arm / other.
        low: lower end of its interval; 0 where it is too small for a float.
        high: upper end; infinite where it is too large.
    """

    n: int
    ratio: float
    low: float
    high: float

    @property
    def inverse(self) -> "ArmRatio":
        """The other arm over this one."""
        return ArmRatio(self.n, _inverted(self.ratio), _inverted(self.high), _inverted(self.low))


@dataclass(frozen=True)
class RowComparison:
    """What one row says of all arms.

    Attributes:
        ratios: each arm but the first over the first, in order; None where too few blocks hold both.
        leader: place of the arm with the largest mean; None where no two arms can be compared.
        second: place of the one that comes closest to it; None as above.
        lead: the leader over the second; None as above.
        shown: the leader is shown to be ahead of every other arm.
    """

    ratios: tuple[ArmRatio | None, ...]
    leader: int | None = None
    second: int | None = None
    lead: ArmRatio | None = None
    shown: bool = False


def compare_row(arms: Sequence[Mapping[int, float]], alpha: float, *, one_spread: bool) -> RowComparison:
    """Compare arms with the first one, and the one with the largest mean with all others.

    The intervals of a row hold together, and so do those of all rows of a table if each has its share of the table's
    `alpha`. The leader is the first in a place that was not named before: it is shown only where the intervals of its
    lead over *each* other arm leave out 1, and those intervals hold for whichever arm is truly the best (multiple
    comparisons with the best; Hsu 1984, Ann. Stat. 12), so that the choice needs no further correction.

    Args:
        arms: of each arm the natural logarithm of its level by block, larger is better; an empty one did not run.
        alpha: 1 - confidence that all intervals of the row hold.
        one_spread: judge all arms by one spread (Dunnett's intervals, see `many_to_one`), in the blocks that hold all
            of them: that shows something after 3 blocks already. Else each pair of arms is judged by itself, in the
            blocks that hold both, and the level is shared in equal parts: right where arms scatter unlike each other.

    Raises:
        StatisticsError: a value is not finite, or a bad alpha.
    """
    present = [place for place, arm in enumerate(arms) if arm]
    if len(present) < 2:
        return RowComparison((None,) * (len(arms) - 1))
    over = _over_one_spread if one_spread else _over_pairs
    to_first = over(arms, 0, present, alpha) if 0 in present else {}
    ratios = tuple(to_first.get(place) for place in range(1, len(arms)))
    leader = _leader(arms, present, to_first)
    leads = {place: each.inverse for place, each in over(arms, leader, present, alpha).items()}
    if not leads:
        return RowComparison(ratios)
    second = min(leads, key=lambda place: leads[place].ratio)
    shown = len(leads) == len(present) - 1 and all(each.low > 1 for each in leads.values())
    return RowComparison(ratios, leader, second, leads[second], shown)


def mean_row(rows: Sequence[Sequence[Mapping[int, float]]]) -> tuple[Mapping[int, float], ...]:
    """Return the mean of the logarithms over rows, by arm and block: the geometric mean of the levels.

    An arm has a block where every row has it.

    Args:
        rows: of each row its arms, as `compare_row` takes them; as many in each, at least one row.
    """
    found = []
    for arms in zip(*rows, strict=True):
        blocks = set.intersection(*(set(arm) for arm in arms))
        found.append({block: sum(arm[block] for arm in arms) / len(arms) for block in sorted(blocks)})
    return tuple(found)


def without_trouble(row: RowComparison, troubled: Mapping[int, int]) -> RowComparison:
    """Return a row in which nobody is shown to lead whose runs failed or were stopped.

    Args:
        row: what it is.
        troubled: how many such runs an arm has, by place.
    """
    return replace(row, shown=False) if row.leader is not None and troubled.get(row.leader) else row


def _inverted(ratio: float) -> float:
    """Return 1 / ratio; infinite for an end of an interval that is too small for a float."""
    return 1 / ratio if ratio > 0 else math.inf


def _leader(arms: Sequence[Mapping[int, float]], present: Sequence[int], to_first: Mapping[int, ArmRatio]) -> int:
    """Return the arm with the largest mean: over the first one in the blocks of both, as arms may lack blocks."""
    if to_first:
        return max((0, *to_first), key=lambda place: 1.0 if place == 0 else to_first[place].ratio)
    return max(present, key=lambda place: sum(arms[place].values()) / len(arms[place]))


def _over_one_spread(
    arms: Sequence[Mapping[int, float]], base: int, present: Sequence[int], alpha: float
) -> dict[int, ArmRatio]:
    blocks = sorted(set.intersection(*(set(arms[place]) for place in present)))
    others = [place for place in present if place != base]
    if len(blocks) < _LEAST_BLOCKS:
        return {}
    # many_to_one says shared / arm, so that the logarithms change their sign for arm / shared
    shared, *rest = ([-arms[place][block] for block in blocks] for place in (base, *others))
    found = many_to_one(shared, rest, alpha, alike=0)  # nothing is drawn together: arms are not alike
    return {place: ArmRatio(it.n, it.ratio, it.low, it.high) for place, it in zip(others, found, strict=True)}


def _over_pairs(
    arms: Sequence[Mapping[int, float]], base: int, present: Sequence[int], alpha: float
) -> dict[int, ArmRatio]:
    found = {}
    for place in present:
        blocks = sorted(arms[place].keys() & arms[base].keys())
        if place != base and len(blocks) >= _LEAST_BLOCKS:
            gains = [arms[place][block] - arms[base][block] for block in blocks]
            it = compare_log_ratios(gains, alpha / (len(present) - 1))
            found[place] = ArmRatio(it.n, it.ratio, it.low, it.high)
    return found
