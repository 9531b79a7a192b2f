"""What is asked without making a study: which options matter, and what can be claimed on this machine."""

import json
import tempfile
import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lsmtune import analysis, report
from lsmtune.analysis import Analysis, AnalysisPlan, Runs, Tell
from lsmtune.api._report_view import ANALYSIS_FILE
from lsmtune.api._study import Study
from lsmtune.api._working import listening
from lsmtune.backends.registry import backend_of, catalogue_of, options_of, with_workload
from lsmtune.errors import EngineError, LsmtuneWarning, RunError, UsageError
from lsmtune.executors import host_abilities, host_facts
from lsmtune.extras import EXTRAS, need
from lsmtune.model import EngineBuild
from lsmtune.report import DoctorFacts, ProgramNoise, doctor_advice
from lsmtune.space import changed_defaults
from lsmtune.store import read_study, write_whole
from lsmtune.study import Listener, MachineNoise, knowledge_of, measure_noise, runs_of

_PAIRS = 5
_NO_NOISE = MachineNoise(0, 0.0, {}, {})


def analyze(
    source: str | Path | Study | Runs,
    *,
    indicators: Sequence[str] = (),
    interactions: bool = False,
    one_way: bool = False,
    plan: AnalysisPlan | None = None,
    tell: Tell = lambda _what, _done: None,
) -> Analysis:
    """Say which options matter, by how much, how sure, and for which indicator.

    Reports what it could not compute, and answers the rest. The answer to a study is also left in its folder, as
    ``analysis.json``, where its report finds it; where that cannot be written, a message of Python's `warnings` says
    so.

    Args:
        source: a study, its folder, or a table of runs: ``runs.parquet``, or what `Study.table` returns.
        indicators: what to explain; left out, write amplification, space, a rate and a time.
        interactions: also test how the strongest factors act together, in analysis of variance.
        one_way: also test each factor alone, as Jin et al. (2022) did, with group means.
        plan: how much to compute; left out, all that a claim needs, which takes a minute or two for each indicator.
        tell: hears in a few words what is being computed, and what share of the whole is done, from 0 to 1.

    Raises:
        StatisticsError: there are too few runs.
        UsageError: an indicator is unknown, or the table cannot be read.
        StudyError: the folder holds no study that can be read.

    Examples:
        A plan that computes little, for a first look:

        >>> import lsmtune
        >>> from lsmtune.analysis import AnalysisPlan, Learner
        >>> little = AnalysisPlan((Learner.KERNEL,), trees=10, points=32, draws=50, curves=0, explained=5, shadows=2)
        >>> found = lsmtune.analyze("studies/tune-pruned", indicators=["waf"], plan=little).by_name["waf"]
        >>> found.known, found.matters[0]
        (114, 'write_buffer_size')
        >>> lsmtune.analyze("studies/sweep", indicators=["speed"])
        Traceback (most recent call last):
            ...
        lsmtune.errors.UsageError: no run of this study has the indicator "speed"; take one of ...
    """
    need("lsmtune analyze", *EXTRAS["analysis"])
    folder, runs = _runs(source)
    wanted = plan or AnalysisPlan()
    wanted = replace(wanted, interactions=_PAIRS) if interactions else wanted
    wanted = replace(wanted, one_way=True) if one_way else wanted
    found = analysis.analyse(runs, indicators, derive=knowledge_of(runs), plan=wanted, tell=tell)
    if folder is not None:
        try:
            text = json.dumps(report.analysis_json(found), allow_nan=False)
            write_whole(folder / ANALYSIS_FILE, f"{text}\n".encode())
        except OSError as error:
            sentence = f"{folder / ANALYSIS_FILE} cannot be written: {error.strerror}; reports lack it"
            warnings.warn(sentence, LsmtuneWarning, stacklevel=2)
    return found


def doctor(
    *, db_bench: str | Path | None = None, runs: int = 5, scratch: str | Path | None = None, quiet: bool = False
) -> DoctorFacts:
    """Look at the engine builds and the machine, and measure its noise: what can be claimed here.

    Args:
        db_bench: the binary of RocksDB to look at; left out, the one that is found.
        runs: repeats of the default that measure the noise of each program, about 10 s each; 0 skips it.
        scratch: folder for the data; left out, a temporary one.
        quiet: show no progress.

    Raises:
        UsageError: so few runs show no spread, or there is no such folder.
        EngineError: there is no usable program.

    Examples:
        A program stands in for ``db_bench`` here; leave ``db_bench`` out for the real one.

        >>> from pathlib import Path
        >>> import lsmtune
        >>> from lsmtune.testing import fake_db_bench
        >>> facts = lsmtune.doctor(db_bench=fake_db_bench.install(Path()), runs=0, quiet=True)
        >>> facts.build.engine, facts.build.version
        ('rocksdb', '7.8.3')
    """
    if runs == 1 or runs < 0:
        raise UsageError(f"--runs {runs} shows no spread; give 0 to skip the noise, or at least 2")
    if scratch is not None and not Path(scratch).is_dir():
        raise UsageError(f"--scratch {scratch} is no folder; make it, or leave it out")
    began, named = time.monotonic(), None if db_bench is None else Path(db_bench)
    builds, absent = _found(named)
    build, *others = builds
    backend = backend_of(build)
    known = catalogue_of(build.engine).for_version(build.version_tuple)
    changed = changed_defaults(known, build.version_tuple, dict(build.flags)) if backend.prints_defaults else ()
    with (
        tempfile.TemporaryDirectory(prefix="lsmtune-doctor-", dir=scratch) as folder,
        listening(None, quiet=quiet) as listener,
    ):
        place = Path(folder)
        host, noise, abilities = host_facts(place), _NO_NOISE, host_abilities(place)
        if runs:
            listener.stage("noise", f"the default {runs} times")
            noise = measure_noise(build, options_of(build), place / "data", runs, listener)
        also = tuple(_noise_of(each, place / "data", runs, listener) for each in others)
    return DoctorFacts(
        build=build,
        host=host,
        missing=tuple(option.name for option in backend.unsupported(build, known)),
        changed_defaults=tuple((change.option.name, change.catalogue, change.binary) for change in changed),
        noise=noise.floors,
        detectable=noise.detectable,
        runs=noise.runs,
        elapsed_s=time.monotonic() - began,
        advice=(*absent, *doctor_advice(build, host, noise.floors, noise.detectable, abilities=abilities)),
        driven=tuple(sorted((each for each in builds if backend_of(each).drives_many), key=lambda each: each.engine)),
        found=backend.how_found(named),
        others=also,
        abilities=abilities,
    )


def _found(named: Path | None) -> tuple[list[EngineBuild], tuple[str, ...]]:
    """Return what is found of all backends, and why the first of them is not, in a sentence.

    Raises:
        EngineError: nothing is, or not the one that the user named; the message is about the first backend.
    """
    builds, errors = [], []
    for place, ((_, engine), backend) in enumerate(with_workload().items()):
        path = named if place == 0 else None
        try:
            builds.append(backend.find(engine, path, backend.flag or f"engine.{backend.key}"))
        except EngineError as error:
            if path is not None:
                raise
            errors.append(error)
    if not builds:
        raise errors[0]
    (tool, engine), *_ = with_workload()
    is_absent = (builds[0].tool, builds[0].engine) != (tool, engine)
    return builds, (f"{tool} of {engine} is left out: {errors[0]}.",) if is_absent else ()


def _noise_of(build: EngineBuild, scratch: Path, runs: int, listener: Listener) -> ProgramNoise:
    """Measure the noise of a further program; one that cannot be measured says why."""
    backend = backend_of(build)
    name, noise, reason = f"{backend.program} on {build.engine}", _NO_NOISE, ""
    if runs:
        listener.stage("noise", f"the default of {name} {runs} times")
        try:
            noise = measure_noise(build, options_of(build), scratch, runs, listener)
        except (RunError, EngineError) as error:
            reason = str(error)
    return ProgramNoise(name, build, noise.floors, noise.detectable, noise.runs, reason)


def _runs(source: str | Path | Study | Runs) -> tuple[Path | None, Runs]:
    """Return the folder of a study, None where there is none, and the table of its runs."""
    if isinstance(source, Runs):
        return None, source
    path = source.folder if isinstance(source, Study) else Path(source)
    if path.suffix == ".parquet":
        return None, Runs.read(path)
    with read_study(path) as opened:
        return path, runs_of(opened)
