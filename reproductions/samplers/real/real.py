"""Real searches on two of the sets that judge: the same budget for each sampler, then all results against each other.

    python real.py STUDIES [seeds]

STUDIES is a folder for the studies; the same command goes on after an interruption. Of each set, seed and sampler
`lsmtune tune` searches the question `space` of ../questions.toml for 60 runs, verification included. Then one
comparison on fresh interleaved runs has all that was handed over as its arms. Writes tuned.csv and compared.csv: gain
over the reference with its 95 % interval. With nothing else running, about 25 minutes a seed.
"""

import csv
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
OBJECTIVES = {"fill-universal": "throughput_settled_ops_s", "mixgraph": "throughput_ops_s"}
SAMPLERS = ("agp", "smac", "tpe", "random")
RUNS, COMPARED_RUNS = 60, 8
"""Of each search, and in the comparison of each arm."""


def experiment(name: str, seed: str) -> str:
    """Return the text of a question's experiment file."""
    text = (HERE.parent / "sets" / f"{name}.toml").read_text(encoding="utf-8")
    seeded = re.sub(r"(?m)^seed = \d+", f"seed = {seed}", text)
    return f'{seeded}\n[objective]\n{OBJECTIVES[name]} = 1.0\n\n[guards]\nspace_bytes = "1.10x"\n'


def told(command: list[str], kept: Path) -> dict[str, Any]:
    """Return the JSON document of a command, which is kept: a second call only reads it."""
    if not kept.is_file():
        ended = subprocess.run(["lsmtune", *command, "--json", "--quiet"], stdout=subprocess.PIPE, check=True)
        kept.write_bytes(ended.stdout)
    known: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    return known


def tuned(studies: Path, name: str, seed: str, sampler: str) -> dict[str, Any]:
    """Search once; the study is that of an earlier call where there is one."""
    file, study = studies / f"{name}-{seed}.toml", studies / f"{name}-{seed}-{sampler}"
    file.write_text(experiment(name, seed), encoding="utf-8")
    command = ["tune", str(file), "--sampler", sampler, "--budget", f"{RUNS} runs", "--study", str(study)]
    return told(command, study.with_suffix(".json"))


def compared(studies: Path, name: str, arms: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Compare what was handed over with the reference, all in one study."""
    tables = [
        f'\n[[compare]]\nname = "{arm}"\n\n[compare.set]\n'
        + "".join(f"{option} = {json.dumps(value)}\n" for option, value in values.items())
        for arm, values in arms.items()
    ]
    file, study = studies / f"{name}.toml", studies / f"{name}-{len(arms)}-compared"
    file.write_text(experiment(name, "1") + "".join(tables), encoding="utf-8")
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


def rows(studies: Path, seeds: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Search, compare, and yield lines with the table that each belongs to."""
    arms: dict[str, dict[str, Mapping[str, Any]]] = {name: {} for name in OBJECTIVES}
    for seed, sampler, name in product(map(str, range(1, seeds + 1)), SAMPLERS, OBJECTIVES):
        found = tuned(studies, name, seed, sampler)
        yield "tuned", row((name, seed, sampler), found["verdict"] if found["improved"] else None)
        if found["improved"]:
            arms[name][f"{sampler}-{seed}"] = found["final"]["values"]
    for name, own in arms.items():
        names = dict(enumerate(own, start=1))
        for verdict in compared(studies, name, own)["verified"]:
            sampler, seed = names[int(verdict["arm"].removeprefix("finalist-"))].split("-")
            yield "compared", row((name, seed, sampler), verdict)


def main(studies: Path, seeds: int) -> None:
    """Write both tables."""
    studies.mkdir(parents=True, exist_ok=True)
    heads = ("set", "seed", "sampler", "gain", "low", "high", "pairs", "standing")
    lines: dict[str, list[dict[str, Any]]] = {"tuned": [], "compared": []}
    for table, line in rows(studies, seeds):
        lines[table].append(line)
        with (HERE / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, heads, lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines[table])


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2)
