"""The search: trials that a sampler proposes, and the reference among them.

The next run follows from those that have ended or begun, so that a search that was stopped goes on as if it had not
been.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from lsmtune.errors import SamplerError
from lsmtune.model import Configuration, Purpose, Value
from lsmtune.result import SearchStop, checkpoints
from lsmtune.samplers import Prior, Sampler, Trial, make_sampler
from lsmtune.space import Space
from lsmtune.study._budget import FIRST_LOOK_RUNS, Shares
from lsmtune.study._runner import RunKey, Runner, RunRequest, WhereGone
from lsmtune.study.plans._single_runs import FIRST_BASELINES, SingleRunHosts
from lsmtune.study.plans._stages import other_starts, possible_finalists, whole_trials
from lsmtune.study.plans._stopping import early_end, remember_end
from lsmtune.study.plans._successive_halving import SuccessiveHalving, run_key_of
from lsmtune.study.plans._trials import briefing, trial_configurations
from lsmtune.units import plural

_MOST_NEEDED = 2
"""Whole runs that one turn takes at most: a trial, and the run of the reference that is due after it."""


@dataclass(frozen=True)
class SearchSettings:
    """How the search goes.

    Attributes:
        space: what is searched.
        sampler: makes a new sampler; it is told the whole history before each question.
        first: configurations that are tried before the sampler is asked.
        anchor_every: every so many runs one is the reference.
        noise_runs: repeats of the reference: three at the start, the others before every second of the first trials.
        rungs: parts of the study's scale at which trials are run before a whole run, rising; empty for none.
        stop: whether the search ends where the trials leave little chance for a better one.
        prior: what recorded runs of other studies let expect, for samplers that start from it.
    """

    space: Space
    sampler: Callable[[], Sampler]
    anchor_every: int
    noise_runs: int
    first: tuple[Mapping[str, Value], ...] = ()
    rungs: tuple[Fraction, ...] = ()
    stop: bool = False
    prior: Prior | None = None


@dataclass(frozen=True)
class _Turn:
    """A run to be made; `needs` is how many whole runs the budget has to hold for it.

    What a new trial runs is asked of the sampler only once the run is made: `configuration` is None until then.
    """

    key: RunKey
    configuration: Configuration | None
    about: str
    needs: int = 1

    @property
    def where_gone(self) -> WhereGone:
        """What becomes of it where its host has left: a trial moves, and a host's own reference goes with it."""
        if self.key.purpose is Purpose.TRIAL:
            return WhereGone.MOVE
        return WhereGone.DROP if self.key.host else WhereGone.WAIT


def search(runner: Runner, settings: SearchSettings, shared: Shares, hosts: SingleRunHosts) -> None:
    """Ask the sampler, run, tell it, until the search's share is spent or the rest of it would be in vain.

    While no trial may become a finalist there is nothing to spend the later shares on: the search goes on into them as
    long as the budget holds a first look beside the next trial. Every few runs the reference is run again.

    Where several hosts make trials, each is asked for while those on others are under way, which the sampler is told.
    """
    options = plural(len(settings.space), "option")
    runner.listener.stage("search", f"trials of {options}; nothing here is a claim yet")
    if runner.study.saved(checkpoints.TRIALS) is not None:
        return
    remark = settings.sampler().remark
    if remark:
        runner.listener.note(remark)
    halving = SuccessiveHalving(runner, settings.rungs, settings.anchor_every)
    halving.open(runner.spending().left - shared.after_search)
    searched = _Search(runner, settings, shared, halving, hosts)
    runner.make_all(searched.requests())
    remember_end(runner, searched.whole_trials, searched.stopped)


@dataclass
class _Search:
    """A search that goes on: `stopped` says why it ended early, None where it did not."""

    runner: Runner
    settings: SearchSettings
    shared: Shares
    halving: SuccessiveHalving
    hosts: SingleRunHosts
    stopped: SearchStop | None = None

    def requests(self) -> Iterator[RunRequest | None]:
        """Yield the runs of the search, each as it follows from those that have ended or begun; see `make_all`."""
        while True:
            host = next(iter(self.hosts.free), None)
            if host is None and self.runner.open_requests:
                yield None
                continue
            turn = self._next_turn(host or self.runner.home)
            if self._is_full and turn.key.purpose in (Purpose.TRIAL, Purpose.RUNG):
                return
            room, needs = self._room(), turn.needs
            if needs > 1 and room < needs and not possible_finalists(self.runner):
                needs = 1  # without a finalist the reference's run after the trial says nothing that is asked
            if self.settings.stop and turn.key.arm != self.runner.rules.reference:
                self.stopped = early_end(self.runner, self.settings.sampler().startup, self._further_trials(room))
            if room < needs or self.stopped is not None:
                return
            yield RunRequest(turn.key, turn.configuration or self._proposed(), turn.about, turn.where_gone)

    @property
    def whole_trials(self) -> int:
        """The number of whole trials that have begun."""
        return whole_trials(self.runner)

    @property
    def _is_full(self) -> bool:
        """Whether as many whole trials have begun as the budget allows."""
        most = self.runner.spending().budget.trials
        return most is not None and self.whole_trials >= most

    def _room(self) -> float:
        """Return how many whole runs the search may still make."""
        left = self.runner.spending().left
        room = left - self.shared.after_search
        if room >= _MOST_NEEDED or possible_finalists(self.runner):
            return room
        return left - FIRST_LOOK_RUNS

    def _further_trials(self, room: float) -> int:
        """Return how many trials some whole runs hold beside the runs of the reference."""
        repeats = self.hosts.repeats(self.settings.noise_runs)
        rest = room - sum(len(self._missing_baselines(host, repeats)) for host in self.hosts.there)
        held = max(0, int(rest * (1 - 1 / self.settings.anchor_every)))
        most = self.runner.spending().budget.trials
        return held if most is None else min(held, max(0, most - self.whole_trials))

    def _next_turn(self, host: str) -> _Turn:
        runner, rules, whole = self.runner, self.runner.rules, self.whole_trials
        here = whole if len(self.hosts.names) < 2 else runner.begun_on(host, (Purpose.TRIAL,))
        due = self.hosts.due_anchor(host, (Purpose.TRIAL,), self.settings.anchor_every)
        if due is not None:
            return _Turn(self.hosts.key(Purpose.ANCHOR, host, due, self._load_of(whole)), rules.start, "anchor")
        baseline = self._due_baseline(host, whole)
        if baseline is not None:
            own = baseline.arm == rules.reference
            return _Turn(
                baseline, rules.baselines[baseline.arm], f"baseline {'of the reference' if own else baseline.arm}"
            )
        run_key = self.halving.waiting()
        if run_key is not None and run_key.arm == rules.reference:
            return _Turn(run_key, rules.start, f"the reference with {run_key.rung} of the data")
        configurations = self._trial_configurations()
        run_key = run_key or run_key_of(f"trial-{_first_free(configurations)}", self.halving.start)
        number = int(run_key.arm.rpartition("-")[2])
        run_key = replace(run_key, load=self._load_of(number), host="" if host == runner.home else host)
        configuration, about = configurations.get(run_key.arm), run_key.arm.replace("-", " ")
        if run_key.purpose is Purpose.RUNG:
            return _Turn(run_key, configuration, f"{about} with {run_key.rung} of the data")
        return _Turn(run_key, configuration, about, _MOST_NEEDED if self._has_anchor(here + 1) else 1)

    def _due_baseline(self, host: str, whole: int) -> RunKey | None:
        """Return the baseline run that is due on a host after so many whole trials.

        Runs that follow each other at once are steadier than runs that are minutes apart; the noise is that of the
        latter.
        """
        due = min(self.hosts.repeats(self.settings.noise_runs), FIRST_BASELINES + (whole + 1) // 2)
        return next(iter(self._missing_baselines(host, due)), None)

    def _missing_baselines(self, host: str, wanted: int) -> list[RunKey]:
        """Return which of so many runs of the reference on a host, and of what stands beside them, have not begun.

        Those at the start are left out, but on a host that left before it had made them.
        """
        runner, run_keys = self.runner, []
        if host != runner.home:
            return self.hosts.missing(host, range(wanted))
        for block in range(FIRST_BASELINES, wanted):
            run_keys.append(RunKey(Purpose.BASELINE, runner.rules.reference, block))
            due = self.hosts.repeats(self.settings.noise_runs)
            run_keys += other_starts(runner, range(block, block + 1), due)
        return [run_key for run_key in run_keys if run_key not in runner.taken_keys]

    def _trial_configurations(self) -> dict[str, Configuration]:
        """Return the configurations of the trials so far, by trial."""
        return trial_configurations(self.runner) | self._open_configurations()

    def _open_configurations(self) -> dict[str, Configuration]:
        """Return the configurations of the trials that run now, by trial."""
        rules = self.runner.rules
        return {
            request.key.arm: request.configuration
            for request in self.runner.open_requests
            if request.key.purpose in (Purpose.TRIAL, Purpose.RUNG) and request.key.arm != rules.reference
        }

    def _has_anchor(self, number: int) -> bool:
        return number % (self.settings.anchor_every - 1) == 0

    def _load_of(self, number: int) -> str:
        """Name the load of a trial by its number: those between two anchors, and the anchor after them, share it.

        Where several hosts make trials, so do the anchors of all.
        """
        return f"search/{(number - 1) // ((self.settings.anchor_every - 1) * len(self.hosts.names))}"

    def _proposed(self) -> Configuration:
        """Return the configuration of the next new trial."""
        number = _first_free(self._trial_configurations())
        return self.runner.rules.start.changed(self._next_values(number))

    def _next_values(self, number: int) -> Mapping[str, Value]:
        runner, settings = self.runner, self.settings
        if number <= len(settings.first):
            return settings.first[number - 1]
        sampler = settings.sampler()
        # What a search can count on is its own share: whether it goes on into the later ones nobody knows before its
        # end.
        room = runner.spending().left - self.shared.after_search
        outlook, trials = briefing(runner, number - 1 + self._further_trials(room), settings.prior)
        sampler.expect(outlook)
        try:
            return self._asked(sampler, trials)
        except SamplerError:
            raise
        except (
            Exception
        ) as error:  # whatever a library raises: the trials so far and the rest of the budget are worth more
            runner.listener.note(
                f"{type(sampler).__name__} failed ({type(error).__name__}: {error}), so trial {number} is a random "
                "draw; where that goes on, end the search and choose another sampler"
            )
            return self._asked(make_sampler("random", settings.space, sampler.seed), trials)

    def _asked(self, sampler: Sampler, trials: Sequence[Trial]) -> Mapping[str, Value]:
        for trial in trials:
            sampler.tell(trial)
        for configuration in self._open_configurations().values():
            sampler.hold(configuration.changes_from(self.runner.rules.start))
        return sampler.ask()


def _first_free(configurations: Mapping[str, Configuration]) -> int:
    """Return the least number that no trial has; one that began before others may have been lost when they ended."""
    return next(number for number in itertools.count(1) if f"trial-{number}" not in configurations)
