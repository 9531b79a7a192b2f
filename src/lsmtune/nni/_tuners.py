"""NNI's tuners and advisors, and what searches in their place."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Counterpart:
    """What searches in the place of one of NNI's tuners.

    Attributes:
        sampler: name of a sampler of lsmtune.
        exact: whether it is the same method; where it is not, the user is told.
        minimizes: whether the tuner makes the result smaller where its ``optimize_mode`` is left out.
    """

    sampler: str
    exact: bool = False
    minimizes: bool = False


TUNERS: Mapping[str, Counterpart] = MappingProxyType(
    {
        "tpe": Counterpart("tpe", exact=True, minimizes=True),
        "tpe_legacy": Counterpart("tpe", exact=True, minimizes=True),
        "random": Counterpart("random", exact=True),
        "evolution": Counterpart("ga", exact=True),
        "anneal": Counterpart("anneal", exact=True, minimizes=True),
        "smac": Counterpart("smac", exact=True),
        "gp": Counterpart("gp", exact=True),
        "metis": Counterpart("gp"),
        "dngo": Counterpart("gp"),
        "bohb": Counterpart("tpe"),
        "gridsearch": Counterpart("grid", exact=True),
        "hyperband": Counterpart("random"),
        "pbt": Counterpart("ga"),
        "regularizedevolution": Counterpart("ga"),
    }
)
"""By NNI's name in small letters without the ending "Tuner"; extend it where a sampler is added."""

FALLBACK = Counterpart("tpe")
"""For tuners that lsmtune does not know, a user's own among them."""


def counterpart(tuner: str) -> Counterpart:
    """Return what searches in the place of a tuner; its name may be written in any case, with or without "Tuner"."""
    return TUNERS.get(tuner.lower().removesuffix("tuner"), FALLBACK)
