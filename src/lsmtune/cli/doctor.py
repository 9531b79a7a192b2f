"""lsmtune doctor."""

import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsmtune.cli._common import DbBench, Json, Quiet, make_console, print_json

if TYPE_CHECKING:
    from lsmtune.model import EngineBuild
    from lsmtune.report import DoctorFacts, LiveView


def doctor(
    db_bench: DbBench = None,
    runs: Annotated[
        int, typer.Option("--runs", min=0, max=50, help="Repeats of the default that measure the noise; 0 skips it.")
    ] = 5,
    scratch: Annotated[
        Path | None, typer.Option("--scratch", metavar="DIR", help="Where data is put [default: a temporary folder].")
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show the engine build, the machine, its noise, and what can be claimed here.

    The noise takes about 10 s a repeat.
    """
    from lsmtune import report
    from lsmtune.engines.rocksdb import discover, locate_db_bench
    from lsmtune.errors import UsageError

    if runs == 1:
        raise UsageError("--runs 1 shows no spread; give 0 to skip the noise, or at least 2")
    if scratch is not None and not scratch.is_dir():
        raise UsageError(f"--scratch {scratch} is no folder; make it, or leave it out")
    found = locate_db_bench(db_bench)
    build = discover(found.path)
    with (
        tempfile.TemporaryDirectory(prefix="lsmtune-doctor-", dir=scratch) as folder,
        report.LiveView(make_console(stderr=True), quiet=quiet or json) as view,
    ):
        facts = replace(_examine(build, Path(folder), runs, view), found=found.how)
    if json:
        print_json(report.doctor_json(facts))
    else:
        make_console().print(report.doctor_card(facts))


def _examine(build: "EngineBuild", folder: Path, runs: int, view: "LiveView") -> "DoctorFacts":
    """Look at the build and the machine; measure the noise where `runs` is not 0."""
    from lsmtune.cli._listening import ViewListener
    from lsmtune.executors import host_facts
    from lsmtune.report import DoctorFacts, doctor_advice
    from lsmtune.space import catalogue, changed_defaults, missing_flags
    from lsmtune.study import measure_noise

    began = time.monotonic()
    known = catalogue().for_version(build.version_tuple)
    missing = missing_flags(known, [name for name, _ in build.flags])
    host = host_facts(folder)
    noise = None
    if runs:
        view.stage("noise", f"the default {runs} times")
        usable = known.without(option.name for option in missing)
        noise = measure_noise(build, usable, folder / "data", runs, ViewListener(view))
    floors = {} if noise is None else noise.floors
    detectable = {} if noise is None else noise.detectable
    changed = changed_defaults(known, build.version_tuple, dict(build.flags))
    return DoctorFacts(
        build=build,
        host=host,
        missing=tuple(option.name for option in missing),
        changed_defaults=tuple((change.option.name, change.catalogue, change.binary) for change in changed),
        noise=floors,
        detectable=detectable,
        runs=0 if noise is None else noise.runs,
        elapsed_s=time.monotonic() - began,
        advice=doctor_advice(build, host, floors, detectable),
        driven=_driven(),
    )


def _driven() -> "tuple[EngineBuild, ...]":
    """Return what lsmtune's own driver drives; nothing where there is none that works."""
    from lsmtune.engines.driver import discover_driver, find_driver
    from lsmtune.errors import EngineError
    from lsmtune.space import ENGINES

    builds = []
    for engine in ENGINES:
        try:
            builds.append(discover_driver(find_driver(), engine))
        except EngineError:
            continue
    return tuple(builds)
