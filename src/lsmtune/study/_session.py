"""Opens the study of an experiment: a new one, or the one that goes on."""

import hashlib
from pathlib import Path

from lsmtune.backends.registry import backend_of
from lsmtune.errors import StudyError, UsageError
from lsmtune.executors import host_facts
from lsmtune.result import StudyFacts
from lsmtune.store import DATABASE, Study, StudyDescription, create_study, open_study
from lsmtune.study._prepare import Prepared


def open_or_create(prepared: Prepared, folder: Path) -> Study:
    """Return the study of an experiment in `folder`, open for work and with its unfinished runs marked as lost.

    Raises:
        UsageError: the study was made from another experiment, engine build or host; its runs cannot be compared.
        StudyError: the folder cannot be used.
        StudyBusyError: another process works on it.
    """
    parent = next(path for path in (folder, *folder.parents) if path.exists())
    description = StudyDescription(
        name=prepared.experiment.name,
        experiment=prepared.experiment.text,
        build=prepared.build,
        host=host_facts(parent),
        facts=prepared.facts().to_json(),
    )
    return open_described(description, folder)


def open_described(wanted: StudyDescription, folder: Path) -> Study:
    """Return the study in `folder`, open for work and with its unfinished runs marked as lost; it may be new.

    Args:
        wanted: what the study is about.
        folder: of the study.

    Raises:
        UsageError: the study was made from another experiment, engine build or host; its runs cannot be compared.
        StudyError: the folder cannot be used.
        StudyBusyError: another process works on it.
    """
    if not (folder / DATABASE).exists():
        return create_study(folder, wanted)
    study = open_study(folder)
    try:
        _check_same(study, wanted)
        study.recover()
    except BaseException:
        study.close()
        raise
    return study


def scratch_of(prepared: Prepared, folder: Path) -> Path:
    """Return the folder for the data of a study's runs; it is emptied at every start."""
    wanted = prepared.experiment.host.scratch
    if wanted is None:
        return folder / "scratch"
    place = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:8]
    return wanted / f"lsmtune-{folder.resolve().name}-{place}"


def _check_same(study: Study, wanted: StudyDescription) -> None:
    made = study.description
    if made.experiment != wanted.experiment:
        raise UsageError(
            f"{study.folder} was made from another text of the experiment file (kept there as experiment.toml); "
            "name a new folder with --study, or undo the change; a budget alone is changed with --budget"
        )
    sampler, recorded = StudyFacts.of(wanted).sampler, StudyFacts.of(made).sampler
    if recorded not in (None, sampler):
        raise UsageError(
            f"{study.folder} was made with the sampler {recorded}, not {sampler}; name a new folder with --study"
        )
    backend = backend_of(made.build)
    if made.build.fingerprint != wanted.build.fingerprint and not backend.has_workload:
        raise UsageError(
            f"{study.folder} was measured with other files of the command in {made.build.path}; its runs cannot be "
            "compared with this one's: name a new folder with --study"
        )
    if made.build.fingerprint != wanted.build.fingerprint:
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
        if before.build.fingerprint != after.fingerprint:
            raise UsageError(
                f'{study.folder} was measured with another build as "{before.name}" ({before.build.version}, '
                f"{before.build.path}) than {after.path} ({after.version}) is now; its runs cannot be compared with "
                "this one's: name a new folder with --study, or put that build back"
            )
