"""By what a study is judged; kept with the study, so that it can be shown without its engine or its files."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, Literal

from lsmtune.codec import (
    JSON,
    MisreadError,
    Object,
    fraction,
    listed,
    mapped,
    member,
    number,
    optional,
    scalar,
    text,
    truth,
    whole,
)
from lsmtune.indicators import AT_FULL_SIZE, Guard, Limit, Objective
from lsmtune.model import Configuration
from lsmtune.result._bounds_at_full_size import BoundsAtFullSize

SHOWN_INDICATORS = (
    "throughput_settled_ops_s",
    "throughput_ops_s",
    "total_time_s",
    "waf",
    "space_bytes",
    "latency_p99_s",
    "cpu_s",
    "memory_peak_bytes",
)
"""Indicators that every card shows beside those of the objective and the guards, where they were measured."""


class Disturbed(StrEnum):
    """What becomes of runs during which others used the host."""

    WAIT = "wait"
    """Made again within a share of the budget; used as they are after that."""
    USE = "use"
    """Used as they are."""
    REFUSE = "refuse"
    """Made again up to twice; then only what others cannot change is used."""


class Shrink(StrEnum):
    """What is smaller than in production at the scales that a study climbs to."""

    TREE = "tree"
    """Data and size options together, as at the study's own scale: a small tree of the same shape."""
    DATA = "data"
    """The data alone: production's options on less data."""


@dataclass(frozen=True)
class Climbing:
    """How what was chosen is verified again at larger scales.

    Attributes:
        start: the study's own scale.
        scales: larger ones, rising.
        share: part of the budget that this may take.
        shrink: what is smaller there than in production.
    """

    start: Fraction
    scales: tuple[Fraction, ...]
    share: float
    shrink: Shrink = Shrink.TREE

    def rung(self, scale: Fraction) -> Fraction:
        """Return a scale over the study's own; see `lsmtune.model.Run`."""
        return scale / self.start

    def to_json(self) -> dict[str, JSON]:
        """Return it as JSON values."""
        return {
            "start": str(self.start),
            "scales": [str(scale) for scale in self.scales],
            "share": self.share,
            "shrink": str(self.shrink),
        }

    @classmethod
    def from_json(cls, value: Any) -> "Climbing":
        """Return what `to_json` wrote.

        Raises:
            MisreadError: the value is none.
        """
        fields = Object(value)
        return cls(
            fields.need("start", fraction),
            fields.need("scales", listed(fraction)),
            fields.need("share", number),
            fields.need("shrink", member(Shrink)),
        )


@dataclass(frozen=True)
class Rules:
    """By what a study is judged; fixed before its first run.

    Attributes:
        objective: what is to get better.
        guards: what must not get worse than it is under the reference.
        limits: absolute bounds.
        reference: name of the baseline that gains are measured against and that the search starts from.
        baselines: every starting point by name, the reference among them.
        minimum_effect: smallest gain worth having, as ratio - 1.
        finalists: most configurations that are verified.
        pareto: the result is a front: finalists are judged in each indicator of the objective by itself.
        timed: the objective follows from the time of all work of a run of a fixed length, so that of a run which the
            cap stopped it is known what it is at best.
        disturbed: what becomes of disturbed runs; None in studies made before one could say, which use nothing of them.
        climbing: how what was chosen is verified again at larger scales; None where it is not.
        full_size: how bounds on memory and space are held at full size; None at a scale of 1, and in studies made
            before they were, whose bounds are of the runs.
        is_older: an lsmtune kept them whose rules let failed runs and open guards pass.
    """

    objective: Objective
    guards: tuple[Guard, ...]
    limits: tuple[Limit, ...]
    reference: str
    baselines: Mapping[str, Configuration]
    minimum_effect: float
    finalists: int
    pareto: bool = False
    timed: bool = False
    disturbed: Disturbed | None = Disturbed.WAIT
    climbing: Climbing | None = None
    full_size: BoundsAtFullSize | None = None
    is_older: bool = False

    @property
    def start(self) -> Configuration:
        """The configuration of the reference."""
        return self.baselines[self.reference]

    @property
    def bounded(self) -> bool:
        """Whether a run that the cap stopped counts at its bound, which then says what the objective is at best."""
        return self.timed and not self.pareto

    @property
    def judged(self) -> tuple[str, ...]:
        """Names of the indicators that decide: of the objective, the guards and the limits, each once."""
        names = [*self.objective.weights, *(guard.indicator for guard in self.guards)]
        return tuple(dict.fromkeys([*names, *(limit.indicator for limit in self.limits)]))

    @property
    def bounds(self) -> tuple[Guard | Limit, ...]:
        """All guards and limits."""
        return (*self.guards, *self.limits)

    def bounded_by(self, name: str) -> str:
        """Return the indicator by which a bound on one is held: that at full size, where there is one."""
        return name if self.full_size is None else AT_FULL_SIZE.get(name, name)

    @property
    def read(self) -> tuple[str, ...]:
        """Names of all indicators that results speak of: those shown, and what stands for them at full size."""
        return (*self.shown, *(name for name in AT_FULL_SIZE.values() if name not in self.shown))

    @property
    def shown(self) -> tuple[str, ...]:
        """Names of all indicators that a card shows, those that decide first."""
        return tuple(dict.fromkeys((*self.judged, *SHOWN_INDICATORS)))

    def to_json(self) -> dict[str, JSON]:
        """Return the rules as JSON values."""
        return {
            "objective": dict(self.objective.weights),
            "guards": {guard.indicator: guard.at_most_worse for guard in self.guards},
            "limits": [[limit.indicator, limit.relation, limit.value] for limit in self.limits],
            "reference": self.reference,
            "baselines": {
                name: {"values": dict(start.values), "options_file": start.options_file}
                for name, start in self.baselines.items()
            },
            "interest": self.minimum_effect,
            "finalists": self.finalists,
            "pareto": self.pareto,
            **({} if self.full_size is None else {"full_size": self.full_size.to_json()}),
            **({} if self.is_older else {"timed": self.timed}),
            **({} if self.disturbed is None else {"disturbed": str(self.disturbed)}),
            **({} if self.climbing is None else {"climbing": self.climbing.to_json()}),
        }

    @classmethod
    def from_json(cls, value: Any) -> "Rules":
        """Return the rules that `to_json` wrote, also those of older versions, which lack some fields.

        Raises:
            MisreadError: the value is none.
            UsageError: an indicator is not known here.
        """
        fields = Object(value)
        return cls(
            objective=Objective(fields.need("objective", mapped(number))),
            guards=tuple(Guard(name, worse) for name, worse in fields.need("guards", mapped(number)).items()),
            limits=fields.need("limits", listed(_limit)),
            reference=fields.need("reference", text),
            baselines=fields.need("baselines", mapped(_start)),
            minimum_effect=fields.need("interest", number),
            finalists=fields.need("finalists", whole),
            pareto=fields.get("pareto", truth, False),
            timed=fields.get("timed", truth, False),
            disturbed=fields.get("disturbed", member(Disturbed), None),
            climbing=fields.get("climbing", Climbing.from_json, None),
            full_size=fields.get("full_size", BoundsAtFullSize.from_json, None),
            is_older="timed" not in fields,
        )


_RELATIONS: Mapping[str, Literal["<=", ">="]] = {"<=": "<=", ">=": ">="}


def _limit(value: Any) -> Limit:
    fields = listed(scalar)(value)
    if len(fields) != 3:
        raise MisreadError("is not an indicator, a relation and a bound")
    name, relation, bound = fields
    if not isinstance(relation, str) or relation not in _RELATIONS:
        raise MisreadError(f'has the relation "{relation}", neither <= nor >=')
    return Limit(text(name), _RELATIONS[relation], number(bound))


def _start(value: Any) -> Configuration:
    fields = Object(value)
    return Configuration.of(fields.need("values", mapped(scalar)), fields.need("options_file", optional(text)))
