"""Write the tables of a study into a folder, compact enough to be committed.

    python tools/record_study.py STUDY FOLDER

Files: ``runs.csv`` (a row a run: purpose, arm, pair, status, time, all indicators in base units, empty where unknown),
``runs.parquet`` (the same for `lsmtune analyze` and `lsmtune bench-samplers`),
``configurations.csv`` (a row for each option that a run set), ``result.json`` (as `lsmtune show --json`), ``card.txt``
and ``card.svg``, ``experiment.toml``.
"""

import csv
import json
import shutil
import sys
from pathlib import Path

from rich.console import Console

from lsmtune.backends.registry import option_units
from lsmtune.report import card_svg, trials_table, tune_card, tune_json
from lsmtune.result import summarise
from lsmtune.store import Study, read_study
from lsmtune.study import runs_of

_WIDTH = 100
_RUN_COLUMNS = ("run", "purpose", "arm", "pair", "status", "elapsed_s", "reason", "configuration", "seed", "rung")


def write_runs(study: Study, folder: Path) -> None:
    """Write a row for each run, with all of its indicators."""
    names = sorted(study.indicators())
    columns = {name: study.indicator(name) for name in names}
    with (folder / "runs.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow((*_RUN_COLUMNS, *names))
        for stored in study.runs():
            run = stored.run
            elapsed_s = "" if stored.elapsed_s is None else f"{stored.elapsed_s:.3f}"
            reason = stored.reason.replace(str(study.folder.resolve()), "STUDY")
            head = (run.id, run.purpose, run.arm, run.block, stored.status, elapsed_s, reason)
            values = (f"{columns[name][run.id]:.6g}" if run.id in columns[name] else "" for name in names)
            writer.writerow((*head, run.configuration.key, run.seed, run.rung, *values))


def write_configurations(study: Study, folder: Path) -> None:
    """Write a row for each option of each configuration, at full size."""
    configurations = {stored.run.configuration.key: stored.run.configuration for stored in study.runs()}
    with (folder / "configurations.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("configuration", "option", "value"))
        for key, configuration in configurations.items():
            writer.writerows((key, name, value) for name, value in configuration.items)


def main(study_folder: Path, folder: Path) -> None:
    """Write all files."""
    folder.mkdir(parents=True, exist_ok=True)
    with read_study(study_folder) as study:
        write_runs(study, folder)
        write_configurations(study, folder)
        runs_of(study).write(folder / "runs.parquet")
        result = summarise(study)
    units = option_units(result.build.engine)
    card = tune_card(result, units)
    (folder / "result.json").write_text(json.dumps(tune_json(result), indent=1) + "\n")
    (folder / "card.svg").write_text(card_svg(card, title=f"lsmtune: {result.description.name}", width=_WIDTH))
    with (folder / "card.txt").open("w") as file:
        console = Console(file=file, width=_WIDTH)
        console.print(card)
        console.print(trials_table(result, units))
    shutil.copy(study_folder / "experiment.toml", folder / "experiment.toml")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
