"""Real searches on sets that judge: the same budget for each sampler, then all results against each other.

    python real.py STUDIES QUESTION SEEDS

STUDIES is a folder for the studies; the same command goes on after an interruption. QUESTION is one of those of
../questions.toml: `space` is asked of fill-universal and mixgraph, `memory` of fill-universal and overwrite-zipfian. Of
each set, seed (1 to SEEDS) and sampler `lsmtune tune` searches for 60 runs, verification included. Then one comparison
on fresh interleaved runs has all that was handed over as its arms. Writes tuned-QUESTION.csv and compared-QUESTION.csv:
gain over the reference with its 95 % interval; and for a search that of its best trial, by the one run that it had, and
how many trials had no meaning and so could not become finalists. With nothing else running, about 25 minutes a seed.
"""

import csv
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from math import exp
from pathlib import Path
from typing import Any

from lsmtune.sampler_benchmark import SamplerBenchmark, read_sets

HERE = Path(__file__).parent
SETS = {"space": ("fill-universal", "mixgraph"), "memory": ("fill-universal", "overwrite-zipfian")}
"""Of which sets a question is asked."""
SAMPLERS = ("agp", "smac", "tpe", "random")
RUNS, COMPARED_RUNS = 60, 8
"""Of each search, and in the comparison of each arm."""


def asked(name: str, question: str) -> SamplerBenchmark:
    """Return what is asked of a set: its objective and its guards."""
    how = SamplerBenchmark(HERE.parent / "questions.toml", objective=(), guards=(), runs=RUNS, seeds=1)
    benches = (each.benches(how) for each in read_sets(how.source))
    return next(bench for each in benches for bench in each if bench.name == f"{name}, {question}")


def table(name: str, values: Iterable[tuple[str, Any]]) -> str:
    """Return a table of an experiment file."""
    return f"\n[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in values)


def experiment(name: str, question: str, seed: str) -> str:
    """Return the text of a question's experiment file."""
    bench = asked(name, question)
    text = (HERE.parent / "sets" / f"{name}.toml").read_text(encoding="utf-8")
    seeded = re.sub(r"(?m)^seed = \d+", f"seed = {seed}", text)
    return seeded + table("objective", bench.objective) + table("guards", bench.guards)


def told(command: list[str], kept: Path) -> dict[str, Any]:
    """Return the JSON document of a command, which is kept: a second call only reads it."""
    if not kept.is_file():
        ended = subprocess.run(["lsmtune", *command, "--json", "--quiet"], stdout=subprocess.PIPE, check=True)
        kept.write_bytes(ended.stdout)
    known: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    return known


def tuned(studies: Path, question: str, name: str, seed: str, sampler: str) -> dict[str, Any]:
    """Search once; the study is that of an earlier call where there is one."""
    file, study = studies / f"{name}-{seed}.toml", studies / f"{name}-{seed}-{sampler}"
    file.write_text(experiment(name, question, seed), encoding="utf-8")
    command = ["tune", str(file), "--sampler", sampler, "--budget", f"{RUNS} runs", "--study", str(study)]
    return told(command, study.with_suffix(".json"))


def compared(studies: Path, question: str, name: str, arms: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Compare what was handed over with the reference, all in one study."""
    tables = [
        table("[compare]", [("name", arm)]) + table("compare.set", values.items()) for arm, values in arms.items()
    ]
    file, study = studies / f"{name}.toml", studies / f"{name}-{len(arms)}-compared"
    file.write_text(experiment(name, question, "1") + "".join(tables), encoding="utf-8")
    budget = f"{COMPARED_RUNS * (len(arms) + 1)} runs"
    return told(["compare", str(file), "--budget", budget, "--study", str(study)], study.with_suffix(".json"))


def row(start: tuple[str, ...], verdict: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return one line of a table; without a verdict nothing was handed over."""
    names = dict(zip(("set", "seed", "sampler"), start, strict=True))
    if verdict is None:
        return {**names, "gain": 1.0, "standing": "nothing found"}
    claim = verdict["claim"]
    figures = {key: round(claim[key], 4) for key in ("gain", "low", "high")}
    return {**names, **figures, "pairs": claim["n"], "standing": verdict["standing"]}


def rows(studies: Path, question: str, seeds: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Search, compare, and yield lines with the table that each belongs to."""
    arms: dict[str, dict[str, Mapping[str, Any]]] = {}
    for seed, sampler, name in product(map(str, range(1, seeds + 1)), SAMPLERS, SETS[question]):
        found = tuned(studies, question, name, seed, sampler)
        holding = [trial["log_gain"] for trial in found["leaders"] if trial["violation"] == 0]
        figures = {
            "best_trial": round(exp(max(holding)), 4) if holding else None,
            "kept_out": sum(found["meaning"]["kept_out"].values()),
        }
        yield "tuned", row((name, seed, sampler), found["verdict"] if found["improved"] else None) | figures
        if found["improved"]:
            arms.setdefault(name, {})[f"{sampler}-{seed}"] = found["final"]["values"]
    for name, own in arms.items():
        names = dict(enumerate(own, start=1))
        for verdict in compared(studies, question, name, own)["verified"]:
            sampler, seed = names[int(verdict["arm"].removeprefix("finalist-"))].split("-")
            yield "compared", row((name, seed, sampler), verdict)


def main(studies: Path, question: str, seeds: int) -> None:
    """Write both tables."""
    studies.mkdir(parents=True, exist_ok=True)
    heads = ("set", "seed", "sampler", "gain", "low", "high", "pairs", "standing")
    columns = {"tuned": (*heads, "best_trial", "kept_out"), "compared": heads}
    lines: dict[str, list[dict[str, Any]]] = {name: [] for name in columns}
    for name, line in rows(studies, question, seeds):
        lines[name].append(line)
        with (HERE / f"{name}-{question}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns[name], lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines[name])


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
