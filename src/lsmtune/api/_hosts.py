"""The hosts of a cluster compared with each other, before anything is tuned on them."""

import secrets
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from lsmtune.api._working import listening
from lsmtune.backends.registry import backend_of, with_workload
from lsmtune.errors import EngineError, UsageError
from lsmtune.executors.hosts import Recipe
from lsmtune.executors.hosts.serving import connect
from lsmtune.model import EngineBuild, SchedulerAddress, Workload
from lsmtune.result import HostsExamined
from lsmtune.study import examine_hosts

LEAST_RUNS = 3
"""Runs on a host below which nothing is said of its noise and drift."""


def compare_hosts(
    address: str,
    *,
    db_bench: str | Path | None = None,
    runs: int = 5,
    labels: Sequence[str] = (),
    keys: str | Path | None = None,
    quiet: bool = False,
) -> HostsExamined:
    """Run the default on all hosts of a cluster, and say who differs, by what.

    Args:
        address: of their scheduler.
        db_bench: the binary of RocksDB that is looked for on them; left out, the one that is found here.
        runs: repeats on each host, about 10 s each; all hosts make theirs at once.
        labels: that a worker needs to be compared.
        keys: folder of certificates; left out, where they are by default.
        quiet: show no progress.

    Raises:
        UsageError: there are too few runs or workers, or certificates are not accepted.
        EngineError: there is no usable program here.
        RunError: nobody answers at the address, or not two hosts gave values.
    """
    if runs < LEAST_RUNS:
        raise UsageError(f"--runs {runs} shows no noise or drift of a host; give at least {LEAST_RUNS}")
    build, asked = _build(None if db_bench is None else Path(db_bench))
    workload, scale = asked
    recipe = Recipe(build, workload, scale, same_build=False)
    scheduler = connect(SchedulerAddress.parse(address), None if keys is None else Path(keys))
    try:
        seen = {name: host for name, host in scheduler.hosts(recipe).items() if set(labels) <= set(host.labels)}
        usable = {name: host for name, host in seen.items() if not host.problem}
        if len(usable) < 2:
            problems = "".join(f'; "{name}" {host.problem}' for name, host in sorted(seen.items()) if host.problem)
            raise UsageError(
                f"{address} has {len(usable)} workers that can be compared{problems}; start two or more with lsmtune "
                "hosts worker"
            )
        with listening(None, quiet=quiet) as listener:
            listener.stage("hosts", f"the default {runs} times on {', '.join(sorted(usable))}")
            for name in sorted(seen.keys() - usable.keys()):
                listener.note(f'"{name}" is left out: it {seen[name].problem}')
            session = f"doctor-{secrets.token_hex(4)}"
            return examine_hosts(scheduler, usable, recipe, runs, listener, session)
    finally:
        scheduler.close()


def _build(named: Path | None) -> tuple[EngineBuild, tuple[Workload, Fraction]]:
    """Return the first build that is found here, and what is asked of it.

    Raises:
        EngineError: there is none.
    """
    errors = []
    for (_, engine), backend in with_workload().items():
        try:
            build = backend.find(engine, named, backend.flag or f"engine.{backend.key}")
        except EngineError as error:
            if named is not None:
                raise
            errors.append(error)
            continue
        asked = backend_of(build).noise_workload()
        if asked is not None:
            return build, asked
    raise errors[0] if errors else EngineError("no program that was found here has anything to repeat")
