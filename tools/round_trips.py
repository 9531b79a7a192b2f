"""Try `lsmtune init --from`: run known workloads, infer them from the LOG alone, run what was inferred, and compare.

    lsmtune build driver && python tools/round_trips.py [--only NAME] [--keep FOLDER]

Each service is a db_bench or the driver with small memtables. What its LOG tells stands beside what was asked, and the
write amplification, the levels and the jobs of both beside each other, as `lsmtune diagnose` reads them of the last
opening: medians of three seeds. A table in Markdown, written as rows come; about twenty minutes.
"""

import argparse
import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from lsmtune import api
from lsmtune.backends.rocksdb import find_db_bench
from lsmtune.backends.ycsb import find_driver
from lsmtune.experiment import parse_experiment
from lsmtune.model import Purpose, Run
from lsmtune.study import prepare

_TREE = {
    "write_buffer_size": 1 << 20,
    "max_bytes_for_level_base": 4 << 20,
    "target_file_size_base": 1 << 20,
    "stats_dump_period_sec": 1,
}
_SEEDS = (7, 8, 9)
_STATE = re.compile(r'"lsm_state": \[([\d, ]+)\]')
_Figures = tuple[float, int, int, int]


@dataclass(frozen=True)
class Service:
    """A workload that is known.

    Attributes:
        name: of it.
        told: what it asks, by the key of the experiment that has to say it.
        make: runs it on a folder.
    """

    name: str
    told: Mapping[str, float | str]
    make: Callable[[Path, int], None]


def main() -> None:
    """Make the round trips, one after the other."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", metavar="NAME", help="of one service")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave experiments and LOGs there")
    given = parser.parse_args()
    print("| Service | asked and inferred | write amplification | levels | flushes | compactions |")
    print("| --- | --- | --- | --- | --- | --- |")
    for service in _SERVICES:
        if given.only in (None, service.name):
            with tempfile.TemporaryDirectory() as scratch:
                print(_row(service, Path(scratch), given.keep), flush=True)


def _row(service: Service, scratch: Path, keep: Path | None) -> str:
    """Make a round trip with several seeds; return its row, what was inferred from the first."""
    before, after, texts = list[_Figures](), list[_Figures](), list[str]()
    for seed in _SEEDS:
        original, again, experiment = (scratch / f"{seed}{name}" for name in ("-service", "-again", ".toml"))
        service.make(original, seed)
        texts.append(api.resemble(original))
        experiment.write_text(texts[-1])
        if keep is not None:
            _keep(keep / service.name, experiment, original)
        _run_reference(experiment, again, seed)
        before.append(_figures(original))
        after.append(_figures(again))
        shutil.rmtree(original)
        shutil.rmtree(again)
    found = _flat(tomllib.loads(texts[0]))
    asked = ", ".join(f"{name} {value} : {found.get(name, 'missing')}" for name, value in service.told.items())
    cells = (
        " : ".join(f"{median([each[place] for each in runs]):.3g}" for runs in (before, after))
        for place in range(len(before[0]))
    )
    return f"| {service.name} | {asked} | {' | '.join(cells)} |"


def _run_reference(path: Path, folder: Path, seed: int) -> None:
    """Run an experiment's reference once, at full size, on a folder that is left as it is then."""
    text = "\n".join('scale = "1"' if line.startswith("scale = ") else line for line in path.read_text().splitlines())
    prepared = prepare(parse_experiment(text, path))
    rules = prepared.rules
    run = Run(1, Purpose.BASELINE, "again", None, rules.baselines[rules.reference], seed, seed)
    bench = prepared.bench()
    loads = bench.load_processes(run, folder) if prepared.workload.load else ()
    for process in (*loads, *bench.processes(run, folder)):
        subprocess.run(process.argv, check=True, capture_output=True, cwd=path.parent)


def _figures(folder: Path) -> _Figures:
    """Return write amplification, levels down to the lowest with files, flushes and compactions of the last opening."""
    (events,) = api.diagnose(folder).last.events.families.values()
    states = _STATE.findall((folder / "LOG").read_text())
    levels = max(level for level, files in enumerate(states[-1].split(","), 1) if int(files))
    amplification = events.written.file_bytes / events.flushed.file_bytes
    return amplification, levels, sum(events.flushes.values()), sum(events.compactions.values())


def _flat(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a workload and of what stands under it by their own names."""
    found: dict[str, Any] = {}
    for name, value in table.get("workload", table).items():
        found.update(_flat({"workload": value}) if isinstance(value, dict) else {name: value})
    return found


def _keep(folder: Path, experiment: Path, database: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in (experiment, *database.glob("LOG*"), *database.glob("OPTIONS-*")):
        shutil.copy(path, folder)


def _db_bench(*parts: tuple[str, Mapping[str, float | str]]) -> Callable[[Path, int], None]:
    """Return what runs benchmarks, each a process of its own, and waits for what is due."""

    def make(folder: Path, seed: int) -> None:
        for benchmark, flags in parts:
            argv = [str(find_db_bench()), f"--db={folder}", f"--benchmarks={benchmark},waitforcompaction"]
            argv += [f"--seed={seed}", f"--use_existing_db={int(folder.exists())}", "--statistics=1"]
            argv += [f"--{name}={value}" for name, value in {**_TREE, **flags}.items()]
            subprocess.run(argv, check=True, capture_output=True)

    return make


def _ycsb(**properties: float | str) -> Callable[[Path, int], None]:
    """Return what loads records and works on them, each a process of its own, and waits for what is due."""

    def make(folder: Path, seed: int) -> None:
        for phase in ("load,settle", "run,settle"):
            argv = [str(find_driver(None, "")), "--engine", "rocksdb", "--db", str(folder), "--phases", phase]
            argv += [word for name, value in _TREE.items() for word in ("-o", f"{name}={value}")]
            given = {**_RECORDS, "lsmtune.seed": seed, **properties}
            argv += [word for name, value in given.items() for word in ("-p", f"{name}={value}")]
            subprocess.run(argv, check=True, capture_output=True)

    return make


def _fill(value_size: int, num: int) -> Service:
    return Service(
        f"fill-{value_size}",
        {"benchmarks": "fillrandom", "num": num, "key_size": 16, "value_size": value_size, "compression_ratio": 0.5},
        _db_bench(("fillrandom", {"num": num, "value_size": value_size})),
    )


_KEYS = {"num": 400_000, "value_size": 400}
_SMALL = {"num": 1_000_000, "value_size": 35}
"""As large as mixgraph's own values are in the mean."""
_RECORDS = {"recordcount": 400_000, "fieldcount": 1, "fieldlength": 400, "lsmtune.value_compressibility": 0.5}
_ROWS = {"num": 400_000, "fieldlength": 400, "compression_ratio": 0.5}
_FACEBOOK = {
    "keyrange_dist_a": 14.18,
    "keyrange_dist_b": -2.917,
    "keyrange_dist_c": 0.0164,
    "keyrange_dist_d": -0.08082,
    "keyrange_num": 30,
    "key_dist_a": 0.002312,
    "key_dist_b": 0.3467,
    "value_k": 0.2615,
    "value_sigma": 25.45,
    "iter_k": 2.517,
    "iter_sigma": 14.236,
    "mix_get_ratio": 0.7,
    "mix_put_ratio": 0.28,
    "mix_seek_ratio": 0.02,
}
"""The parameters of RocksDB's wiki for its mixgraph, with more puts."""
_SERVICES = (
    _fill(100, 2_000_000),
    _fill(400, 700_000),
    _fill(1000, 300_000),
    Service(
        "overwrite-uniform",
        {"benchmarks": "overwrite", **_KEYS, "operations": 800_000, "key_size": 16, "compression_ratio": 0.5},
        _db_bench(("filluniquerandom", _KEYS), ("overwrite", {**_KEYS, "writes": 800_000})),
    ),
    Service(
        "overwrite-zipfian",
        {**_ROWS, "operations": 800_000, "updateproportion": 1, "zipfian_const": 0.99},
        _ycsb(
            operationcount=800_000,
            readproportion=0,
            updateproportion=1,
            requestdistribution="zipfian",
            **{"lsmtune.blindupdates": "true"},
        ),
    ),
    Service(  # an update of YCSB looks first, so there are two look-ups for each put
        "ycsb-a",
        {**_ROWS, "operations": 1_200_000, "readproportion": 2 / 3, "updateproportion": 1 / 3, "zipfian_const": 0.99},
        _ycsb(operationcount=800_000, readproportion=0.5, updateproportion=0.5, requestdistribution="zipfian"),
    ),
    Service(
        "mixgraph",
        {
            "num": 1_000_000,
            "operations": 1_500_000,
            "readproportion": 0.7,
            "updateproportion": 0.28,
            "scanproportion": 0.02,
        },
        _db_bench(("filluniquerandom", _SMALL), ("mixgraph", {**_SMALL, **_FACEBOOK, "reads": 1_500_000})),
    ),
)

if __name__ == "__main__":
    main()
