"""Making studies from Python: each function does what the command of its name does, and returns the study."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from lsmtune import study as studies
from lsmtune.api._asked import Asked, read_experiment
from lsmtune.api._study import Study
from lsmtune.api._working import at_work, budget_of, budget_or_all, write_tables
from lsmtune.experiment import Experiment, searching_with
from lsmtune.extras import need
from lsmtune.study import Budget, Prepared, SampleSettings

_TABLES = ("pandas", "pyarrow")
"""What writes the runs of a design as a table: asked for before hours of runs, not after them."""


def tune(
    experiment: Asked,
    *,
    study: str | Path | None = None,
    budget: str | None = None,
    sampler: str | None = None,
    db_bench: str | Path | None = None,
    quiet: bool = False,
) -> Study:
    """Tune a workload the whole way: baselines, noise, search, verification, backward elimination, confirmation.

    Called again with the same study folder it goes on where it was stopped. Ctrl-C, or an interrupted cell of a
    notebook, stops cleanly with KeyboardInterrupt; every run is kept as soon as it ends.

    Args:
        experiment: the path of an experiment file, its tables as a dict, or an `Experiment`.
        study: folder of the study; left out, ``studies/NAME``, or ``studies/NAME-SAMPLER`` where one is given.
        budget: like ``"20m"``, ``"100 runs"`` or both; left out, the experiment's.
        sampler: searches instead of the experiment's; ``"steps"`` tries the changes under ``[[steps]]`` in turn.
        db_bench: the binary to use; left out, the experiment's, or what is found.
        quiet: show no progress.

    Raises:
        ExperimentError: something in the experiment is wrong.
        UsageError: the study cannot go on with this experiment, or the budget is too small.
        EngineError: there is no usable engine.
        RunError: the reference cannot be run.
        StudyError: the folder cannot be used.

    Examples:
        A budget that decides nothing is refused before anything is run. A program stands in for ``db_bench`` here;
        leave ``db_bench`` out for the real one.

        >>> from pathlib import Path
        >>> import lsmtune
        >>> from lsmtune.testing import fake_db_bench
        >>> fill = {
        ...     "name": "fill",
        ...     "workload": {"benchmarks": "fillrandom", "num": "1M"},
        ...     "space": {"options": ["write_buffer_size"]},
        ...     "host": {"disturbed": "use", "min_free": "16MiB"},
        ... }
        >>> lsmtune.tune(fill, budget="5 runs", db_bench=fake_db_bench.install(Path()), quiet=True)
        Traceback (most recent call last):
            ...
        lsmtune.errors.BudgetError: the budget of 5 runs is too small: 5 of the starting points, 5 trials and
        12 of a first verification are 22; raise it with --budget
    """
    wanted = read_experiment(experiment)
    folder = folder_of(study, f"{wanted.name}-{sampler}" if sampler else wanted.name)
    wanted = wanted if sampler is None else searching_with(wanted, sampler)
    prepared = prepared_of(wanted, db_bench)
    if wanted.by_steps:
        stages = partial(studies.tune_by_steps, settings=prepared.step_settings())
    else:
        prepared = prepared.searching()
        stages = partial(studies.tune, settings=prepared.search_settings())
    with at_work(prepared, folder, budget_of(prepared, budget), quiet=quiet) as runner:
        stages(runner)
    return Study(folder)


def compare(
    experiment: Asked,
    *,
    against: Sequence[str | Path] = (),
    study: str | Path | None = None,
    budget: str | None = None,
    db_bench: str | Path | None = None,
    quiet: bool = False,
) -> Study:
    """Compare the configurations and builds under ``[[compare]]`` with the reference, in fresh interleaved runs.

    Args:
        experiment: see `tune`.
        against: paths of further builds of the same engine, under the reference's configuration.
        study: folder of the study; left out, ``studies/NAME-compare``.
        budget: see `tune`.
        db_bench: see `tune`.
        quiet: see `tune`.

    Raises:
        LsmtuneError: see `tune`.

    Examples:
        >>> from pathlib import Path
        >>> import lsmtune
        >>> from lsmtune.testing import fake_db_bench
        >>> lighter = {
        ...     "name": "lighter",
        ...     "workload": {"benchmarks": "fillrandom", "num": "1M", "value_size": "1KiB"},
        ...     "search": {"noise_runs": 3, "cap": 50},
        ...     "compare": [{"name": "no compression", "set": {"compression_type": "none"}}],
        ...     "host": {"disturbed": "use", "min_free": "16MiB"},
        ... }
        >>> study = lsmtune.compare(lighter, db_bench=fake_db_bench.install(Path()), quiet=True)
        >>> print(study.verdict)
        Improved by "no compression": ... the settled throughput of db_bench's default [...]; 1 option changed.
    """
    wanted = read_experiment(experiment, searches=False)
    prepared = studies.comparing(prepared_of(wanted, db_bench), [Path(path) for path in against])
    limit, settings = budget_of(prepared, budget), prepared.compare_settings()
    folder = folder_of(study, f"{wanted.name}-compare")
    with at_work(prepared, folder, limit, quiet=quiet) as runner:
        studies.compare_configurations(runner, settings)
    return Study(folder)


def sample(
    experiment: Asked,
    *,
    study: str | Path | None = None,
    budget: str | None = None,
    db_bench: str | Path | None = None,
    quiet: bool = False,
) -> Study:
    """Run the points of the design under ``[sample]``, to learn which options matter: `analyze` answers that.

    The runs are also written as ``runs.parquet`` and ``runs.csv`` in the study folder.

    Args:
        experiment: see `tune`.
        study: folder of the study; left out, ``studies/NAME``.
        budget: left out, the experiment's; all points are run where it has none.
        db_bench: see `tune`.
        quiet: see `tune`.

    Raises:
        LsmtuneError: see `tune`.

    Examples:
        >>> from pathlib import Path
        >>> import lsmtune
        >>> from lsmtune.testing import fake_db_bench
        >>> drawn = {
        ...     "name": "drawn",
        ...     "workload": {"benchmarks": "fillrandom", "num": "1M"},
        ...     "space": {"options": ["write_buffer_size", "max_background_jobs"]},
        ...     "sample": {"runs": 8, "test": 0, "replicates": 0},
        ...     "search": {"noise_runs": 3, "cap": 50},
        ...     "host": {"disturbed": "use", "min_free": "16MiB"},
        ... }
        >>> study = lsmtune.sample(drawn, db_bench=fake_db_bench.install(Path()), quiet=True)
        >>> runs = study.runs()
        >>> len(runs[runs["purpose"] == "sample"])
        8
    """
    need("lsmtune sample", *_TABLES)
    prepared = prepared_of(read_experiment(experiment), db_bench)
    folder = folder_of(study, prepared.name)
    return _run_design(prepared, prepared.sample_settings(), folder, budget_or_all(prepared, budget), quiet=quiet)


def sweep(
    experiment: Asked,
    *,
    study: str | Path | None = None,
    budget: str | None = None,
    db_bench: str | Path | None = None,
    quiet: bool = False,
) -> Study:
    """Run the grid under ``[sweep]``, every combination in each block.

    The runs are also written as ``runs.parquet`` and ``runs.csv`` in the study folder.

    Args:
        experiment: see `tune`.
        study: folder of the study; left out, ``studies/NAME-sweep``.
        budget: left out, the experiment's; all cells are run where it has none.
        db_bench: see `tune`.
        quiet: see `tune`.

    Raises:
        LsmtuneError: see `tune`.

    Examples:
        >>> from pathlib import Path
        >>> import lsmtune
        >>> from lsmtune.testing import fake_db_bench
        >>> compressors = {
        ...     "name": "compressors",
        ...     "workload": {"benchmarks": "fillrandom", "num": "1M"},
        ...     "sweep": {"rival": "compression_type", "repeats": 2, "options": {"compression_type": ["lz4", "zstd"]}},
        ...     "search": {"noise_runs": 3, "cap": 50},
        ...     "host": {"disturbed": "use", "min_free": "16MiB"},
        ... }
        >>> study = lsmtune.sweep(compressors, db_bench=fake_db_bench.install(Path()), quiet=True)
        >>> study.to_json()["rules"]["throughput_ops_s"]["words"]
        'lz4 has the higher throughput, by 1.2...x.'
    """
    need("lsmtune sweep", *_TABLES)
    prepared = prepared_of(read_experiment(experiment), db_bench).sweeping()
    folder = folder_of(study, f"{prepared.name}-sweep")
    return _run_design(prepared, prepared.sweep_settings(), folder, budget_or_all(prepared, budget), quiet=quiet)


def _run_design(prepared: Prepared, settings: SampleSettings, folder: Path, limit: Budget, *, quiet: bool) -> Study:
    with at_work(prepared, folder, limit, quiet=quiet) as runner:
        studies.sample(runner, settings)
        runs = studies.runs_of(runner.study)
    write_tables(runs, folder)
    return Study(folder)


def prepared_of(experiment: Experiment, db_bench: str | Path | None) -> Prepared:
    """Return an experiment on this machine, by the binary that the caller names, else by what is found."""
    return studies.prepare(experiment, None if db_bench is None else Path(db_bench))


def folder_of(study: str | Path | None, name: str) -> Path:
    """Return the folder of a study: what the caller says, else ``studies/NAME``."""
    return Path("studies") / name if study is None else Path(study)
