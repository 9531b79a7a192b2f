"""Whom importance is given to: factors, and bundles of factors that a constraint ties together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lsmtune.errors import StatisticsError
from lsmtune.space import Factor


@dataclass(frozen=True)
class Player:
    """A unit of importance.

    Attributes:
        name: of the factor, or of the members joined by ``" + "``.
        members: names of its factors.
        tied: it is one factor of a bundle, looked at alone. Its values are then moved to where the constraint of the
            bundle may not hold and where no run was made; the bundle's own importance is the sound one.
    """

    name: str
    members: tuple[str, ...]
    tied: bool = False

    def __post_init__(self) -> None:
        if not self.members:
            raise StatisticsError(f'"{self.name}" has no factors; name at least one')

    @property
    def is_bundle(self) -> bool:
        """Whether it stands for several factors."""
        return len(self.members) > 1


def players_of(
    factors: Sequence[Factor], bundles: Sequence[Sequence[str]], *, alone: bool = True
) -> tuple[Player, ...]:
    """Return the units of importance in the order of `factors`, a bundle at the place of its first member.

    Args:
        factors: what varied.
        bundles: names of factors that a constraint ties together; those that share a factor become one, and names
            that are not among `factors` are left out.
        alone: whether each member of a bundle follows its bundle as a player of its own, with `Player.tied` set.
    """
    names = [factor.name for factor in factors]
    bundle_of = {name: bundle for bundle in _merged(bundles, names) for name in bundle}
    players: list[Player] = []
    for name in names:
        bundle = bundle_of.get(name)
        if bundle is None:
            players.append(Player(name, (name,)))
        elif bundle[0] == name:
            players.append(Player(" + ".join(bundle), bundle))
            players += [Player(member, (member,), tied=True) for member in bundle if alone]
    return tuple(players)


def eligible(
    player: Player, factors: Sequence[Factor], activity: Mapping[str, npt.NDArray[np.bool_]]
) -> npt.NDArray[np.bool_]:
    """Return the rows in which the values of a player have an effect.

    A member that is switched by another member of the same bundle asks for nothing: its switch moves with it.

    Args:
        player: one or more of `factors`.
        factors: what varied.
        activity: by name of a factor, the rows in which it is active.

    Returns:
        Shape of the masks in `activity`.
    """
    by_name = {factor.name: factor for factor in factors}
    masks = [
        activity[name] for name in player.members if not set(by_name[name].conditions).intersection(player.members)
    ]
    return np.logical_and.reduce(masks) if masks else np.ones_like(activity[player.members[0]])


def sort_key(factor: Factor, values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return numbers in the order of the values of a factor; those of categories follow their first appearance."""
    import pandas as pd

    if factor.is_category:
        return pd.factorize(values)[0].astype(np.float64)
    return values.astype(np.float64)


def _merged(bundles: Sequence[Sequence[str]], names: Sequence[str]) -> list[tuple[str, ...]]:
    """Join bundles that share a factor; members in the order of `names`."""
    groups: list[set[str]] = []
    for bundle in bundles:
        group = set(bundle) & set(names)
        for other in [other for other in groups if other & group]:
            groups.remove(other)
            group |= other
        groups.append(group)
    return [tuple(name for name in names if name in group) for group in groups if len(group) > 1]
