"""The hosts that make single runs, trials and points of a design, each with the reference's own runs beside them.

A single run says something only against the reference on its own host, so every host that makes them begins with some
runs of the reference and makes its own anchors. Where one host makes all of them, nothing of this is seen.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass

from lsmtune.model import HOST_BLOCKS, Purpose
from lsmtune.result import checkpoints
from lsmtune.study._runner import RunKey, Runner, RunRequest, WhereGone

FIRST_BASELINES = 3
"""Runs of the reference on a host before others: they need a level, a typical time and a first idea of the noise."""
_SHARE = 0.2
"""Of the budget, that the reference's first runs on further hosts may take: many hosts are of no use to few runs."""


@dataclass(frozen=True)
class SingleRunHosts:
    """The hosts that make single runs of a study.

    Attributes:
        runner: of the study.
        names: all that ever did, home first; their places number the reference's runs.
    """

    runner: Runner
    names: tuple[str, ...]

    @classmethod
    def chosen(cls, runner: Runner) -> "SingleRunHosts":
        """Choose them anew, those of an earlier process kept: all that are there, as far as the budget allows."""
        kept = runner.study.saved(checkpoints.HOSTS) or (runner.home,)
        further = [name for name in runner.hosts if name not in kept]
        if not further:
            return cls(runner, kept)
        left = runner.spending().left
        most = len(further) if math.isinf(left) else max(0, int(_SHARE * left / FIRST_BASELINES) - len(kept) + 1)
        if len(further) > most:
            runner.listener.note(
                f"the budget allows single runs on {len(kept) + most} hosts, as each begins with {FIRST_BASELINES} "
                f"runs of the reference; {', '.join(further[most:])} take part in verification"
            )
        names = (*kept, *further[:most])
        if names != kept:
            runner.study.save(checkpoints.HOSTS, names)
        return cls(runner, names)

    @property
    def there(self) -> list[str]:
        """Those that are there, home first."""
        return [name for name in self.runner.hosts if name in self.names]

    @property
    def free(self) -> list[str]:
        """Those that are at no run."""
        return [name for name in self.runner.free_hosts if name in self.names]

    def repeats(self, wanted: int) -> int:
        """Return how often the reference is repeated on each host, where `wanted` repeats on one tell its noise.

        The noise is pooled over hosts by its degrees of freedom, of which each host has one less than runs.
        """
        hosts = len(self.there)
        return wanted if hosts < 2 else min(wanted, max(FIRST_BASELINES, 1 + math.ceil((wanted - 1) / hosts)))

    def key(self, purpose: Purpose, host: str, number: int, load: str = "") -> RunKey:
        """Return the key of a run of the reference on a host."""
        block = self.names.index(host) * HOST_BLOCKS + number
        return RunKey(
            purpose, self.runner.rules.reference, block, load=load, host="" if host == self.runner.home else host
        )

    def request(self, run_key: RunKey, about: str) -> RunRequest:
        """Return the request for such a run; on a further host it goes when the host does."""
        where_gone = WhereGone.DROP if run_key.host else WhereGone.WAIT
        return RunRequest(run_key, self.runner.rules.start, about, where_gone)

    def missing(self, host: str, numbers: range) -> list[RunKey]:
        """Return which of some repeats of the reference on a host have not begun."""
        keys = [self.key(Purpose.BASELINE, host, number) for number in numbers]
        return [run_key for run_key in keys if not self.runner.is_taken(run_key)]

    def due_anchor(self, host: str, purposes: Collection[Purpose], every: int) -> int | None:
        """Return the number of the anchor that is due on a host: of so many runs there one is the reference."""
        begun = self.runner.begun_on(host, purposes)
        if not begun or begun % (every - 1) or self.runner.is_taken(self.key(Purpose.ANCHOR, host, begun)):
            return None
        return begun
