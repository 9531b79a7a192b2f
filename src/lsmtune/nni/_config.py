"""NNI's experiment configuration, in both of its forms, as one value.

The first form (schema 1) has ``trial.command``, ``maxTrialNum`` and ``trainingServicePlatform``; the second one, from
NNI 2.0 on, has ``trialCommand``, ``maxTrialNumber`` and ``trainingService.platform``, with keys in any case, with or
without underscores.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsmtune.backends import expanded
from lsmtune.errors import ExperimentError, UsageError
from lsmtune.extras import need
from lsmtune.nni._search_space import Parameter, read_search_space
from lsmtune.nni._tuners import TUNERS, Counterpart, counterpart

_LARGEST_FILE = 1_000_000
_UNITS_S = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}

_BOTH = ("experimentName", "trialConcurrency", "useAnnotation", "tuner", "advisor", "assessor", "maxTrialDuration")
_FIRST = ("trial", "maxTrialNum", "maxExecDuration", "searchSpacePath", "trainingServicePlatform")
_SECOND = (
    *("trialCommand", "trialCodeDirectory", "trialGpuNumber", "maxTrialNumber", "maxExperimentDuration"),
    *("searchSpaceFile", "searchSpace", "trainingService"),
)
_MEANINGLESS = (
    *("authorName", "description", "debug", "logLevel", "logDir", "logCollection", "versionCheck", "multiThread"),
    *("nniManagerIp", "localConfig", "experimentWorkingDirectory", "tunerGpuIndices", "multiPhase"),
)
"""Keys that say nothing about what is measured."""


@dataclass(frozen=True)
class NniConfig:
    """What an experiment of NNI says.

    Attributes:
        path: its file.
        form: 1 or 2.
        name: of the experiment; the file's name where there is none.
        command: of a trial, for a shell.
        code_folder: where it runs.
        parameters: the search space.
        search_space: where that was read, for people.
        tuner: NNI's name of it.
        maximizes: whether a larger result is better.
        trials: most trials; None where they are not limited.
        time_s: longest time of the experiment in s; None where it is not limited.
        trial_s: longest time of a trial in s; None where it is not limited.
        notes: a sentence for each thing that lsmtune does otherwise than the configuration says.
    """

    path: Path
    form: int
    name: str
    command: str
    code_folder: Path
    parameters: tuple[Parameter, ...]
    search_space: str
    tuner: str
    maximizes: bool
    trials: int | None
    time_s: float | None
    trial_s: float | None
    notes: tuple[str, ...]

    @property
    def counterpart(self) -> Counterpart:
        """What searches in the place of the tuner."""
        return counterpart(self.tuner)


def load_config(path: Path) -> NniConfig:
    """Return what an experiment of NNI says.

    Raises:
        ExperimentError: the file or its search space cannot be read, a key has a value that cannot be meant, keys of
            both forms are mixed, or it needs what lsmtune does not have (annotations in the code of the trial).
    """
    document = _read(path, "a configuration of NNI")
    if not isinstance(document, dict):
        raise ExperimentError(f"{path}: this is no configuration of NNI; write keys like trialCommand: python3 main.py")
    return _Reading(path, {_folded(str(key)): value for key, value in document.items() if value is not None}).config()


@dataclass
class _Reading:
    """One configuration while it is read; `keys` are folded."""

    path: Path
    keys: dict[str, Any]

    def config(self) -> NniConfig:
        form = self._form()
        unknown = self.keys.keys() - {_folded(key) for key in (*_BOTH, *_FIRST, *_SECOND, *_MEANINGLESS)}
        trial = self._table("trial") if form == 1 else {}
        command = trial.get("command") if form == 1 else self.keys.get("trialcommand")
        if not isinstance(command, str) or not command.strip():
            key = "trial.command" if form == 1 else "trialCommand"
            raise self._error(key, "says no command; write it like python3 trial.py")
        code = (trial.get("codedir") if form == 1 else self.keys.get("trialcodedirectory")) or "."
        tuner, mode, tuner_notes = self._tuner(form)
        space, source = self._search_space(form)
        return NniConfig(
            path=self.path,
            form=form,
            name=str(self.keys.get("experimentname") or self.path.stem),
            command=command.strip(),
            code_folder=self._folder(code),
            parameters=space,
            search_space=source,
            tuner=tuner,
            maximizes=mode == "maximize",
            trials=self._count("maxTrialNum" if form == 1 else "maxTrialNumber"),
            time_s=self._seconds("maxExecDuration" if form == 1 else "maxExperimentDuration"),
            trial_s=self._seconds("maxTrialDuration"),
            notes=(
                *tuner_notes,
                *self._notes(trial.get("gpunum") if form == 1 else self.keys.get("trialgpunumber"), form),
                *(f"{key}: lsmtune does not know this key; it is ignored" for key in sorted(unknown)),
            ),
        )

    def _form(self) -> int:
        first = [key for key in _FIRST if _folded(key) in self.keys]
        second = [key for key in _SECOND if _folded(key) in self.keys]
        if first and second:
            raise ExperimentError(
                f"{self.path}: {first[0]} belongs to the first form of NNI's configuration and {second[0]} to the "
                "second; write all keys of one form"
            )
        return 1 if first else 2

    def _tuner(self, form: int) -> tuple[str, str, list[str]]:
        """Return the tuner's name, its optimize_mode, and what is to be said of both."""
        key = next((key for key in ("tuner", "advisor") if key in self.keys), None)
        if key is None:
            raise self._error("tuner", "is missing; write its name, for example TPE")
        table = self._table(key)
        name = table.get(f"builtin{key}name" if form == 1 else "name")
        own = table.get("classname")
        if not isinstance(name or own, str):
            example = f"builtin{key.title()}Name" if form == 1 else "name"
            raise self._error(f"{key}.{example}", "is missing; write it like TPE")
        tuner = str(name or own)
        arguments = table.get("classargs") or {}
        if not isinstance(arguments, dict):
            raise self._error(f"{key}.classArgs", "is no table; write optimize_mode: maximize")
        found, notes = counterpart(tuner), []
        if tuner.lower().removesuffix("tuner") not in TUNERS:
            notes.append(f"{tuner} is no tuner that lsmtune knows; {found.sampler} searches in its place")
        elif not found.exact:
            notes.append(f"{tuner} has no counterpart here yet; {found.sampler} searches in its place")
        others = sorted(str(each) for each in arguments if each != "optimize_mode")
        if others:
            notes.append(f"{key}.classArgs: {', '.join(others)} of {tuner} mean nothing here; ignored")
        mode = arguments.get("optimize_mode")
        if mode is None:
            mode = "minimize" if found.minimizes else "maximize"
            notes.append(f"optimize_mode is not given; {tuner} would {mode} the result, and so does lsmtune")
        if mode not in ("maximize", "minimize"):
            raise self._error(f"{key}.classArgs.optimize_mode", f'is "{mode}"; write maximize or minimize')
        return tuner, str(mode), notes

    def _search_space(self, form: int) -> tuple[tuple[Parameter, ...], str]:
        if self.keys.get("useannotation"):
            raise self._error("useAnnotation", "takes the search space from comments in the code; write it as a file")
        key = "searchSpacePath" if form == 1 else "searchSpaceFile"
        file, inline = self.keys.get(_folded(key)), self.keys.get("searchspace")
        if file is not None and inline is not None:
            raise self._error("searchSpace", "and searchSpaceFile are both given; write one of them")
        if inline is not None:
            return read_search_space(inline, f"{self.path}: searchSpace"), "searchSpace"
        if file is None:
            raise self._error(key, "is missing; write the path of a search_space.json")
        place = self._path(key, file)
        return read_search_space(_read(place, "a search space"), str(place)), str(file)

    def _notes(self, gpus: Any, form: int) -> list[str]:
        service = self.keys.get("trainingservice")
        services = service if isinstance(service, list) else [service]
        platforms = [each.get("platform") for each in services if isinstance(each, dict)]
        platforms = [self.keys.get("trainingserviceplatform")] if form == 1 else platforms
        notes = [
            f"platform {platform}: lsmtune runs everything on this machine"
            for platform in platforms
            if platform not in (None, "local")
        ]
        if isinstance(gpus, int) and gpus > 0:
            notes.append(f"{gpus} GPUs for a trial: lsmtune hands out none; the command sees what the machine has")
        concurrency = self._count("trialConcurrency")
        if concurrency is not None and concurrency > 1:
            notes.append(f"trialConcurrency {concurrency}: runs go one at a time, or they would disturb one another")
        if "assessor" in self.keys:
            table = self._table("assessor")
            name = table.get("builtinassessorname") or table.get("name") or table.get("classname") or "yours"
            notes.append(
                f"assessor {name}: intermediate results stop no run here; one that takes 3 times the reference's time "
                "is stopped"
            )
        return notes

    def _table(self, key: str) -> dict[str, Any]:
        """Return a table with folded keys; empty where it is missing."""
        table = self.keys.get(key, {})
        if not isinstance(table, dict):
            raise self._error(key, "is no table of keys; indent them below it")
        return {_folded(str(name)): value for name, value in table.items()}

    def _path(self, key: str, text: Any) -> Path:
        """Return a path of the configuration; what is relative starts at its folder."""
        try:
            return self.path.parent / expanded(Path(str(text)))
        except UsageError as error:
            raise self._error(f"{key}:", str(error)) from None

    def _folder(self, code: Any) -> Path:
        folder = self._path("the folder of the trial's code", code).resolve()
        if not folder.is_dir():
            raise self._error("the folder of the trial's code", f"{folder} does not exist; correct its path")
        return folder

    def _count(self, key: str) -> int | None:
        value = self.keys.get(_folded(key))
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self._error(key, f'is "{value}"; write a whole number from 1')
        return value

    def _seconds(self, key: str) -> float | None:
        """Return a time that NNI writes like 12h, 0.5h, 90m or as seconds."""
        value = self.keys.get(_folded(key))
        if value is None:
            return None
        text = str(value).strip().lower()
        unit = _UNITS_S.get(text[-1:])
        try:
            seconds = float(text[:-1]) * unit if unit is not None else float(text)
        except ValueError:
            seconds = math.nan
        if isinstance(value, bool) or not (math.isfinite(seconds) and seconds > 0):
            raise self._error(key, f'is "{value}"; write it like 12h, 90m or 3600s')
        return seconds

    def _error(self, key: str, sentence: str) -> ExperimentError:
        return ExperimentError(f"{self.path}: {key} {sentence}")


def _folded(key: str) -> str:
    return key.lower().replace("_", "")


def _read(path: Path, what: str) -> Any:
    """Return the values of a YAML or JSON file; JSON may hold tabs, which YAML refuses."""
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ExperimentError(f"{path}: {what} cannot be read: {reason}; correct its path") from None
    if len(text) > _LARGEST_FILE:
        raise ExperimentError(f"{path} has {len(text):,} characters, too many for {what}; give another file")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    need("a configuration of NNI", "yaml")
    import yaml  # type: ignore[import-untyped]  # its stubs are not installed

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: a date that no calendar has
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f":{mark.line + 1}"
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise ExperimentError(f"{path}{line}: this is neither YAML nor JSON: {problem}; correct it") from None
