"""Opens a study: a new one, or the one that goes on."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from lsmtune.backends.registry import backend_of
from lsmtune.errors import StudyError, UsageError
from lsmtune.executors.hosts import unheard
from lsmtune.experiment import without_property_files
from lsmtune.model import EngineBuild
from lsmtune.result import StudyFacts
from lsmtune.store import DATABASE, Study, StudyDescription, create_study, open_study
from lsmtune.study._hosts import Spread, find_home, take_back
from lsmtune.study._setup import Setup


def open_or_create(
    setup: Setup, folder: Path, spread: Spread | None = None, tell: Callable[[str], None] = unheard
) -> Study:
    """Return the study in `folder`, open for work and with its unfinished runs marked as lost; it may be new.

    Args:
        setup: what is studied.
        folder: of the study.
        spread: the hosts that make its runs; None where this machine does. What they finished for the study while
            nobody listened is stored first.
        tell: hears of hosts that are waited for, where it takes long.

    Raises:
        UsageError: the study was made from another experiment, engine build or host; its runs cannot be compared. Or
            the folder that is named for the data is not there.
        StudyError: the folder cannot be used.
        StudyBusyError: another process works on it.
    """
    if spread is None:
        _check_scratch(setup, folder)
    wanted = setup.description(folder)
    if spread is not None:
        wanted = replace(wanted, host=spread.facts[0])
    if not (folder / DATABASE).exists():
        return create_study(folder, wanted)
    study = open_study(folder)
    try:
        if spread is not None:
            wanted = replace(wanted, host=find_home(study, spread, tell))
        _check_same(study, wanted)
        if spread is not None:
            take_back(study, spread.scheduler, setup.policy(setup.budget).figures, tell)
        study.recover()
    except BaseException:
        study.close()
        raise
    return study


def _check_scratch(setup: Setup, folder: Path) -> None:
    """Check that the folder that an experiment names for the data is there: made anew, it may be on another disk.

    Raises:
        UsageError: it is not.
    """
    named = setup.scratch(folder).parent
    if named != folder and not named.is_dir():
        raise UsageError(
            f"host.scratch: {named} is no folder; mount its disk or make it, and give the same command again"
        )


def _check_same(study: Study, wanted: StudyDescription) -> None:
    made = study.description
    if made.experiment != wanted.experiment:
        is_text_same = without_property_files(made.experiment) == without_property_files(wanted.experiment)
        other = "property files with other content" if is_text_same else "another text of the experiment file"
        raise UsageError(
            f"{study.folder} was made from {other} (kept there as experiment.toml); "
            "name a new folder with --study, or undo the change; a budget alone is changed with --budget"
        )
    now, then = StudyFacts.of(wanted), StudyFacts.of(made)
    if _options_files(then) != _options_files(now):
        raise UsageError(
            f"{study.folder} was made from an OPTIONS file with other content; name a new folder with --study, or put "
            "the old file back"
        )
    if then.sampler not in (None, now.sampler):
        raise UsageError(
            f"{study.folder} was made with the sampler {then.sampler}, not {now.sampler}; name a new folder with "
            "--study"
        )
    backend = backend_of(made.build)
    if made.build.fingerprint != wanted.build.fingerprint and not backend.has_workload:
        raise UsageError(
            f"{study.folder} was measured with other files of the command in {made.build.path}; its runs cannot be "
            "compared with this one's: name a new folder with --study"
        )
    if _program(made.build) != _program(wanted.build):
        again = f", or that one with {backend.flag}" if backend.flag else ""
        raise UsageError(
            f"{study.folder} was measured with another {backend.program} ({made.build.version}, {made.build.path}); "
            f"its runs cannot be compared with this one's: name a new folder with --study{again}"
        )
    _check_same_builds(study, wanted)
    if made.host.fingerprint != wanted.host.fingerprint:
        raise StudyError(
            f'{study.folder} was measured on host "{made.host.name}"; runs of two hosts cannot be compared: name a new '
            "folder with --study"
        )


def _options_files(facts: StudyFacts) -> list[str]:
    """Return the texts of OPTIONS files that a study starts from."""
    starts = facts.rules.baselines.values()
    return [start.options_file for start in starts if start.options_file is not None]


def _program(build: EngineBuild) -> tuple[str, str]:
    """Return what tells a program from another one; the version, too, as a script that starts one may stay as it is."""
    return build.fingerprint, build.version


def _check_same_builds(study: Study, wanted: StudyDescription) -> None:
    """Check that a comparison has the builds that it began with.

    Raises:
        UsageError: there are others, or another file is in the place of one.
    """
    made, now = StudyFacts.of(study.description).builds, StudyFacts.of(wanted).builds
    if made.keys() != now.keys():
        names = ", ".join(f'"{each.name}" ({each.build.path})' for each in made.values()) or "no other build"
        raise UsageError(
            f"{study.folder} compares the reference with {names}; name the same with --against, in the same order, or "
            "a new folder with --study"
        )
    for arm, before in made.items():
        after = now[arm].build
        if _program(before.build) != _program(after):
            raise UsageError(
                f'{study.folder} was measured with another build as "{before.name}" ({before.build.version}, '
                f"{before.build.path}) than {after.path} ({after.version}) is now; its runs cannot be compared with "
                "this one's: name a new folder with --study, or put that build back"
            )
