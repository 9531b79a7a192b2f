"""What others have set up, from Python: experiments of NNI as they are, and the pipeline of a paper repeated."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from lsmtune import nni
from lsmtune import study as studies
from lsmtune.api._asked import Asked, read_experiment
from lsmtune.api._studies import folder_of, prepared_of
from lsmtune.api._study import Study
from lsmtune.api._working import at_work, budget_of, budget_or_all, write_tables
from lsmtune.errors import LsmtuneWarning, UsageError
from lsmtune.experiment import parse_experiment
from lsmtune.extras import EXTRAS, need
from lsmtune.jin2022 import jin2022_settings, reproduce_jin2022
from lsmtune.study import Setup


def tune_nni(
    config: str | Path,
    *,
    study: str | Path | None = None,
    budget: str | None = None,
    asked: nni.Asked | None = None,
    default: str | Path | Mapping[str, Any] | None = None,
    quiet: bool = False,
) -> Study:
    r"""Run an experiment of NNI as it is: find good parameters, and prove the gain with fresh runs.

    A trial that only runs db_bench with options of RocksDB is run without its code, as `tune` would do it. Any other
    command is run as it is. What lsmtune does otherwise than the configuration says is told by Python's `warnings`.

    Args:
        config: the path of a configuration of NNI, with its search space beside it.
        study: folder of the study; left out, ``studies/NAME``.
        budget: see `tune`; left out, the configuration's, or half an hour.
        asked: what the configuration does not say.
        default: values of one's own or the path of a JSON file of them, which gains are measured against where a
            command is run; left out, the middle of the search space.
        quiet: show no progress.

    Raises:
        ExperimentError: the configuration cannot be read, or something in it is wrong.
        UsageError: something was said that is for the other kind of trial.
        LsmtuneError: see `tune`.

    Examples:
        >>> from pathlib import Path
        >>> import lsmtune
        >>> written = Path("search_space.json").write_text('{"x": {"_type": "uniform", "_value": [0, 4]}}')
        >>> config = ["trialCommand: python3 trial.py", "searchSpaceFile: search_space.json", "tuner:", "  name: TPE"]
        >>> config += ["  classArgs: {optimize_mode: maximize}"]
        >>> written = Path("config.yml").write_text("\n".join(config))
        >>> lsmtune.tune_nni("config.yml", budget="5 runs", quiet=True)
        Traceback (most recent call last):
            ...
        lsmtune.errors.BudgetError: the budget of 5 runs is too small: ...
    """
    read, said = nni.load_config(Path(config)), asked or nni.Asked()
    for note in read.notes:
        warnings.warn(note, LsmtuneWarning, stacklevel=2)
    setup: Setup
    if not said.trial and (said.benchmarks is not None or nni.runs_db_bench(read)):
        if default is not None:
            raise UsageError("--default is for a trial command; here its code sets the reference; take it out")
        text = nni.experiment_text(read, said)
        setup = studies.prepare(parse_experiment(text, read.path.with_suffix(".toml"))).searching()
    else:
        for name in said.for_db_bench:
            raise UsageError(f"--{name} is for db_bench, and this runs a command of yours; take it out")
        own = nni.read_own_values(Path(default)) if isinstance(default, str | Path) else default
        setup = nni.Trials(read, own)
    folder = folder_of(study, setup.name)
    with at_work(setup, folder, budget_of(setup, budget), quiet=quiet) as runner:
        _keep_start(folder, nni.Started(read.path, said, budget), default)
        studies.tune(runner, setup.search_settings())
    return Study(folder)


def _keep_start(folder: Path, started: nni.Started, default: str | Path | Mapping[str, Any] | None) -> None:
    """Keep how an experiment was started; with values of the caller's own it cannot be named by its folder alone."""
    if default is None or isinstance(default, str | Path):
        replace(started, default=None if default is None else Path(default)).keep(folder)


def resume_nni(study: str | Path, *, quiet: bool = False) -> Study:
    """Go on with an experiment of NNI as it was started, from its study folder alone.

    Args:
        study: folder of the study.
        quiet: show no progress.

    Raises:
        StudyError: the folder is no study of an experiment of NNI.
        LsmtuneError: see `tune_nni`.

    Examples:
        >>> import lsmtune
        >>> lsmtune.resume_nni("studies/sweep")
        Traceback (most recent call last):
            ...
        lsmtune.errors.StudyError: ...
    """
    folder = Path(study)
    started = nni.Started.read(folder)
    return tune_nni(
        started.config,
        study=folder,
        budget=started.budget,
        asked=started.asked,
        default=started.default,
        quiet=quiet,
    )


def reproduce(
    experiment: Asked,
    *,
    study: str | Path | None = None,
    budget: str | None = None,
    db_bench: str | Path | None = None,
    quiet: bool = False,
) -> Study:
    """Repeat the published pipeline under ``[reproduce]``, that of Jin et al. (2022).

    The runs are also written as ``runs.parquet`` and ``runs.csv`` in the study folder. What came of them, beside the
    paper's numbers, is a value of its own:
    ``lsmtune.jin2022.summarise_jin2022(runs, lsmtune.jin2022.recorded_reproduction(runs))`` of ``study.table()``.

    Args:
        experiment: see `tune`.
        study: folder of the study; left out, ``studies/NAME``.
        budget: left out, the experiment's; all runs are made where it has none.
        db_bench: see `tune`.
        quiet: see `tune`.

    Raises:
        LsmtuneError: see `tune`.

    Examples:
        >>> from pathlib import Path
        >>> import lsmtune
        >>> from lsmtune.testing import fake_db_bench
        >>> indicators = ("waf", "space_bytes", "total_time_s", "throughput_settled_ops_s")
        >>> repeated = {
        ...     "name": "repeated",
        ...     "workload": {"benchmarks": "fillrandom", "num": "1M"},
        ...     "space": {"options": ["write_buffer_size", "max_background_jobs"]},
        ...     "objective": dict.fromkeys(indicators, 1.0),
        ...     "reproduce": {"of": "jin2022", "genes": ["write_buffer_size"], "generations": 1, "pairs": 3},
        ...     "sample": {"runs": 10, "test": 0, "replicates": 0},
        ...     "search": {"noise_runs": 3, "cap": 50},
        ...     "host": {"disturbed": "use", "min_free": "16MiB"},
        ... }
        >>> study = lsmtune.reproduce(repeated, db_bench=fake_db_bench.install(Path()), quiet=True)
        >>> purposes = study.runs()["purpose"]
        >>> {name: sum(purposes == name) for name in ("sample", "trial", "verify")}
        {'sample': 10, 'trial': 12, 'verify': 6}
    """
    need("lsmtune reproduce", *EXTRAS["analysis"])
    prepared = prepared_of(read_experiment(experiment), db_bench)
    settings, folder = jin2022_settings(prepared), folder_of(study, prepared.name)
    with at_work(prepared, folder, budget_or_all(prepared, budget), quiet=quiet) as runner:
        reproduce_jin2022(runner, settings)
    done = Study(folder)
    write_tables(done.table(), folder)
    return done
