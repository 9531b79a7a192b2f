"""By what a study is judged; kept with the study, so that it can be shown without its engine or its files."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from lsmtune.indicators import Guard, Limit, Objective
from lsmtune.model import Configuration

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


@dataclass(frozen=True)
class Rules:
    """By what a study is judged; fixed before its first run.

    Attributes:
        objective: what is to get better.
        guards: what must not get worse than it is under the reference.
        limits: absolute bounds.
        reference: name of the baseline that gains are measured against and that the search starts from.
        baselines: every starting point by name, the reference among them.
        interest: smallest gain worth having, as ratio - 1.
        finalists: most configurations that are verified.
        pareto: the result is a front: finalists are judged in each indicator of the objective by itself.
        timed: the objective follows from the time of all work of a run of a fixed length, so that of a run which the
            cap stopped it is known what it is at best.
        disturbed: what becomes of disturbed runs; None in studies made before one could say, which use nothing of them.
    """

    objective: Objective
    guards: tuple[Guard, ...]
    limits: tuple[Limit, ...]
    reference: str
    baselines: Mapping[str, Configuration]
    interest: float
    finalists: int
    pareto: bool = False
    timed: bool = False
    disturbed: Disturbed | None = Disturbed.WAIT

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
    def shown(self) -> tuple[str, ...]:
        """Names of all indicators that a card shows, those that decide first."""
        return tuple(dict.fromkeys((*self.judged, *SHOWN_INDICATORS)))

    def to_json(self) -> dict[str, Any]:
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
            "interest": self.interest,
            "finalists": self.finalists,
            "pareto": self.pareto,
            "timed": self.timed,
            **({} if self.disturbed is None else {"disturbed": str(self.disturbed)}),
        }

    @classmethod
    def from_json(cls, data: Any) -> "Rules":
        """Return the rules that `to_json` wrote."""
        return cls(
            objective=Objective(data["objective"]),
            guards=tuple(Guard(name, worse) for name, worse in data["guards"].items()),
            limits=tuple(Limit(*fields) for fields in data["limits"]),
            reference=data["reference"],
            baselines={
                name: Configuration.of(start["values"], start["options_file"])
                for name, start in data["baselines"].items()
            },
            interest=data["interest"],
            finalists=data["finalists"],
            pareto=data.get("pareto", False),  # studies made before fronts have none
            timed=data.get("timed", False),  # nor was this kept before bounds counted
            disturbed=Disturbed(data["disturbed"]) if "disturbed" in data else None,
        )
