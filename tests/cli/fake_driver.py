"""A fake lsmtune-ycsb whose engine bears a known rate: it prints at once what the real one printed, with that rate.

``max_rate.jsonl`` is a recorded output; its steps are replaced by those of a search that ends within the asked
precision below the capacity. It is run as a program; `install` makes one of it.
"""

import json
import math
import random
import re
import stat
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[1] / "fixtures" / "ycsb"
CAPACITY_OPS_S = 50_000.0
"""What is borne under the engine's default write buffer of 64 MiB."""
PRECISION = 0.05
MIB = 1 << 20


LIMIT_S = 0.005
"""Under which the engine bears `CAPACITY_OPS_S`."""


def capacity_ops_s(write_buffer_bytes: float, limit_s: float = LIMIT_S, percentile: float = 99.0) -> float:
    """Four times the write buffer bear 1.5 times the rate, four times the limit twice, P99.9 four fifths of it."""
    at_limit = CAPACITY_OPS_S * (limit_s / LIMIT_S) ** 0.5 * (1.0 if percentile == 99.0 else 0.8)
    return float(at_limit * (write_buffer_bytes / (64 * MIB)) ** math.log(1.5, 4))


def install(folder: Path) -> Path:
    """Write the program and return its path."""
    path = folder / "lsmtune-ycsb"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -S {__file__} "$@"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def found_ops_s(capacity: float, draw: random.Random) -> tuple[float, float]:
    """A rate that is sustained and one that is not, as close as asked for; chance places capacity between."""
    borne = capacity / (1 + PRECISION * draw.random())
    return borne, borne * (1 + PRECISION)


def _after(flag: str, words: list[str]) -> list[str]:
    return [value for word, value in pairwise(words) if word == flag]


def _write_buffer_bytes(words: list[str]) -> float:
    """The write buffer of an OPTIONS file or of -o, in this order; else the engine's default."""
    given = [Path(name).read_text() for name in _after("--options-file", words)] + _after("-o", words)
    found = re.findall(r"^\s*write_buffer_size=(\d+)", "\n".join(given), re.MULTILINE)
    return float(found[-1]) if found else 64.0 * MIB


def _properties(words: list[str], phases: str) -> dict[str, str]:
    """The properties of -p, and over them those in the file of the search."""
    given = [text for text in _after("-p", words) if "=" in text]
    for file in re.findall(r"max_rate:[^@,]*@([^,]+)", phases):
        given += Path(file).read_text().split()
    return dict(text.split("=", 1) for text in given)


def _of_phases(lines: list[dict[str, Any]], first: int, last: int) -> list[dict[str, Any]]:
    """The lines without those of other phases, whose numbers begin at 0."""
    kept = [line for line in lines if "phase" not in line or first <= line["phase"]["index"] <= last]
    for line in kept:
        if "phase" in line:
            line["phase"] = {**line["phase"], "index": line["phase"]["index"] - first}
    return kept


def _searched(lines: list[dict[str, Any]], borne: float, not_borne: float) -> list[dict[str, Any]]:
    """The recorded lines with steps at 0.7 of the closed loop and at both ends, twice each."""
    steps = [line for line in lines if line["type"] == "rate_step"]
    model, ceiling = steps[1], 1.3 * borne
    held = [(0.7 * ceiling, True), (borne, True), (not_borne, False), (not_borne, False), (borne, True)]
    made = [{**steps[0], "achieved_ops_s": ceiling}]
    for number, (rate, kept) in enumerate(held, 1):
        reasons = [] if kept else ["late"]
        step = {"number": number, "rate_ops_s": rate, "achieved_ops_s": rate, "borne": kept, "reasons": reasons}
        made.append({**model, **step, "flushes": 9})
    at = lines.index(steps[0])
    others = [line for line in lines if line["type"] != "rate_step"]
    end = next(line for line in others if line["type"] == "phase_end" and "max_rate" in line)
    result = {"ceiling_ops_s": ceiling, "rate_ops_s": borne, "not_borne_ops_s": not_borne, "steps": len(held)}
    end["max_rate"] = {**end["max_rate"], **result, "confirmed": True, "precise": True}
    return [*others[:at], *made, *others[at:]]


def main(words: list[str]) -> int:
    """Do what the words of a command line ask for."""
    if words == ["--version"]:
        print((FIXTURES / "version.txt").read_text(), end="")
        return 0
    (database,) = _after("--db", words)
    Path(database).mkdir(parents=True, exist_ok=True)
    (Path(database) / "CURRENT").write_text("MANIFEST-000004\n")
    lines = [json.loads(text) for text in (FIXTURES / "max_rate.jsonl").read_text().splitlines()]
    lines[0]["engine"]["effective_options"]["CFOptions"]["write_buffer_size"] = f"{_write_buffer_bytes(words):.0f}"
    (phases,) = _after("--phases", words)
    if "max_rate" in phases:
        given = _properties(words, phases)
        draw = random.Random(int(given["lsmtune.seed"]))
        kept = (float(given["lsmtune.max_rate.limit_s"]), float(given["lsmtune.max_rate.percentile"]))
        lines = _of_phases(
            _searched(lines, *found_ops_s(capacity_ops_s(_write_buffer_bytes(words), *kept), draw)), 2, 3
        )
    else:
        lines = _of_phases(lines, 0 if "load" in phases else 1, 1)
    for line in lines:
        print(json.dumps(line, separators=(",", ":")))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
