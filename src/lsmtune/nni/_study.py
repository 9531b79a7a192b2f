"""A study of a user's own trial command: all that differs from a study of an engine."""

import hashlib
import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from lsmtune.errors import ExperimentError
from lsmtune.executors import Limits, host_facts
from lsmtune.indicators import Objective
from lsmtune.model import Configuration, EngineBuild
from lsmtune.nni._bench import TrialBench
from lsmtune.nni._config import NniConfig
from lsmtune.nni._search_space import nested_values, recorded_parameters
from lsmtune.nni._trial_space import factors, trial_space
from lsmtune.result import ParameterFacts, Rules, StudyFacts, TuneResult, WorkloadFacts, ranges_of
from lsmtune.samplers import Sampler, make_sampler
from lsmtune.space import Space
from lsmtune.store import StudyDescription
from lsmtune.study import Budget, RunPolicy, SearchSettings

_CAP_S = 3600.0
_CAP, _SEED, _MINIMUM_EFFECT, _FINALISTS = 3.0, 1, 0.03, 3
_ANCHOR_EVERY, _NOISE_RUNS = 5, 5
_FREE_BYTES = 2 * 2**30
_USUAL_TIME_S = 1800.0
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Trials:
    """A trial command with its parameters, ready to be studied.

    Attributes:
        config: of NNI.
        own: the user's own values of the parameters; None starts from the middle of the search space.
    """

    config: NniConfig
    own: Mapping[str, Any] | None = None

    @cached_property
    def space(self) -> Space:
        """What is searched.

        Raises:
            ExperimentError: nothing can be searched, or the own values do not fit.
        """
        return trial_space(self.config.parameters, self.own)

    @property
    def name(self) -> str:
        """The name of the study."""
        return _UNSAFE.sub("-", self.config.name).strip("-._")[:80] or "nni"

    @property
    def rules(self) -> Rules:
        """By what the study is judged: the result alone."""
        reference = "middle" if self.own is None else "own"
        return Rules(
            objective=Objective({self._result: 1.0}),
            guards=(),
            limits=(),
            reference=reference,
            baselines={reference: Configuration()},
            minimum_effect=_MINIMUM_EFFECT,
            finalists=_FINALISTS,
        )

    @property
    def budget(self) -> Budget:
        """What the configuration allows; half an hour where it sets no limit."""
        config = self.config
        if config.time_s is None and config.trials is None:
            return Budget(_USUAL_TIME_S, None)
        if config.trials is None:
            return Budget(config.time_s, None)
        return Budget.of_trials(config.trials, config.time_s, _NOISE_RUNS, _ANCHOR_EVERY)

    def bench(self) -> TrialBench:
        """Return the bench that runs the command."""
        config = self.config
        return TrialBench(
            config.command, config.code_folder, config.parameters, self.space, self._result, self._build.fingerprint[:8]
        )

    def search_settings(self) -> SearchSettings:
        """Return how the search goes."""

        def sampler() -> Sampler:
            return make_sampler(self.config.counterpart.sampler, self.space, _SEED)

        return SearchSettings(self.space, sampler, _ANCHOR_EVERY, _NOISE_RUNS)

    def policy(self, budget: Budget) -> RunPolicy:
        """Return how runs are made, under a budget."""
        cap_s = self.config.trial_s or _CAP_S
        return RunPolicy(budget, Limits(cap_s, cap_s, None, _FREE_BYTES), _CAP, _SEED)

    def description(self, folder: Path) -> StudyDescription:
        """Return what the study in `folder` is about."""
        return StudyDescription(self.name, self._text(), self._build, host_facts(folder), self._facts().to_json())

    def introduction(self, folder: Path) -> list[str]:
        """Return what is about to happen, in a sentence."""
        config = self.config
        return [f"{config.command} in {config.code_folder}, {len(self.space)} parameters, study in {folder}"]

    def scratch(self, folder: Path) -> Path:
        """Return the folder for the data of the runs of the study in `folder`; it is emptied at every start."""
        return folder / "scratch"

    @property
    def _result(self) -> str:
        return "trial_score" if self.config.maximizes else "trial_loss"

    @cached_property
    def _build(self) -> EngineBuild:
        """The command as the thing that is measured; its fingerprint covers the files that it names."""
        digest = hashlib.sha256(self.config.command.encode())
        for file in _named_files(self.config):
            digest.update(file.read_bytes())
        mark = digest.hexdigest()[:16]
        return EngineBuild(
            engine="command",
            version=mark[:8],
            path=self.config.code_folder,
            fingerprint=mark,
            assertions=False,
            compressors=(),
            flags=(),
            tool="command",
        )

    def _facts(self) -> StudyFacts:
        return StudyFacts(
            rules=self.rules,
            scale=Fraction(1),
            reference_values=dict(self.space.reference),
            ranges=ranges_of(self.space),
            searched=self.space.names,
            sampler=self.config.counterpart.sampler,
            missing=(),
            factors=factors(self.space, self.config.parameters),
            bundles=(),
            workload=WorkloadFacts(benchmarks=(self.config.command,)),
            search_space=tuple(
                ParameterFacts(each.name, each.path, each.type, each.arguments, each.condition)
                for each in self.config.parameters
            ),
        )

    def _text(self) -> str:
        """Return the record that tells this study from another one, as TOML."""
        config = self.config
        space = [[each.name, each.type, list(each.arguments)] for each in config.parameters]
        fields = {
            "name": self.name,
            "run": config.command,
            "folder": str(config.code_folder),
            "tuner": config.tuner,
            "result": self._result,
            "reference": json.dumps(dict(self.space.reference), sort_keys=True),
            "search_space": json.dumps(space, sort_keys=True),
        }
        lines = [f"{key} = {json.dumps(value)}" for key, value in fields.items()]
        head = "# What lsmtune nni runs; kept so that the study can go on. It is no experiment file of lsmtune tune."
        return "\n".join([head, "[command]", *lines]) + "\n"


def final_parameters(result: TuneResult) -> str:
    """Return the parameters to export as JSON, as the trial would get them.

    Args:
        result: of a study of a command.
    """
    facts = result.facts
    values = {**(facts.reference_values or {}), **result.final.values}
    return json.dumps(nested_values(recorded_parameters(facts), values), indent=2) + "\n"


def read_own_values(path: Path) -> dict[str, Any]:
    """Return the user's own values of the parameters from a JSON file.

    Raises:
        ExperimentError: it cannot be read, or holds no object.
    """
    try:
        document = json.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else f"it is no JSON: {error}"
        raise ExperimentError(f"{path} cannot be read: {reason}; give a JSON file of parameters") from None
    if not isinstance(document, dict):
        raise ExperimentError(f'{path} holds no object; write it like {{"name": 1}}')
    return document


def _named_files(config: NniConfig) -> list[Path]:
    """Return the files that the command names, in its order."""
    try:
        words = shlex.split(config.command)
    except ValueError:  # an open quote: the shell will say so
        words = config.command.split()
    paths = (config.code_folder / word for word in words if "\0" not in word)
    return [path for path in dict.fromkeys(paths) if path.is_file()]
