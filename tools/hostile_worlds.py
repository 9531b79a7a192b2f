"""Run studies in hostile worlds on the fake engine and say how often they are wrong; end with 1 where a goal is missed.

    python tools/hostile_worlds.py [--studies 400] [--world NAME ...] [--kind KIND ...] [--write]

Answers are kept in a file as they come (--kept), so that the same command goes on where it was stopped. Answers of
other code are not used. --write puts the tables into reproductions/statistics/hostile-worlds.md; --csv FILE writes
every rate as a row.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from lsmtune.testing.hostile import (
    WORLDS,
    Answered,
    Kind,
    answer_all,
    as_csv,
    as_markdown,
    rates,
    read_kept,
    studies_of,
)

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "reproductions" / "statistics" / "hostile-worlds.md"
BEGIN, END = "<!-- hostile worlds: begin -->", "<!-- hostile worlds: end -->"
_TOLD = 500  # studies between two lines of progress


def answered(studies: Sequence[tuple[str, Kind]], seeds: int, kept: Path, workers: int) -> list[Answered]:
    """Return the answers of studies with the seeds from 1, those that are kept already among them."""
    wanted = [(world, kind, seed) for seed in range(1, seeds + 1) for world, kind in studies]
    known = {(each.world, each.kind, each.seed): each for each in read_kept(kept)}
    found = [known[each] for each in wanted if each in known]
    todo = [each for each in wanted if each not in known]
    kept.parent.mkdir(parents=True, exist_ok=True)
    with kept.open("a", encoding="utf-8") as file:
        for number, each in enumerate(answer_all(todo, workers), start=1):
            file.write(each.to_line() + "\n")
            file.flush()
            found.append(each)
            if number % _TOLD == 0 or number == len(todo):
                sys.stderr.write(f"{len(found)} of {len(wanted)} studies\n")
    return found


def with_tables(page: str, tables: str) -> str:
    """Return the page with other tables between its markers."""
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n{tables}\n{END}{tail}"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--studies", type=int, default=400, help="of each kind in each world")
    parser.add_argument("--world", action="append", choices=list(WORLDS), help="all unless given")
    parser.add_argument(
        "--kind", action="append", choices=[each.name.lower() for each in Kind], help="all unless given"
    )
    parser.add_argument(
        "--kept", type=Path, default=ROOT / "build" / "hostile_worlds.jsonl", help="file of the answers"
    )
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--csv", type=Path, help="file for the rates")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.name}")
    wanted = parser.parse_args(arguments)
    if wanted.write and (wanted.world or wanted.kind):
        parser.error("--write replaces all tables; leave --world and --kind out")
    kinds = [Kind[name.upper()] for name in wanted.kind] if wanted.kind else list(Kind)
    studies = studies_of(wanted.world or WORLDS, kinds)
    found = rates(answered(studies, wanted.studies, wanted.kept, wanted.workers))
    tables = as_markdown(found)
    sys.stdout.write(tables)
    if wanted.csv:
        wanted.csv.write_text(as_csv(found), "utf-8")
    if wanted.write:
        PAGE.write_text(with_tables(PAGE.read_text("utf-8"), tables), "utf-8")
    missed = [rate for rate in found if rate.missed]
    for rate in missed:
        sys.stderr.write(f"missed: {rate.question} in {rate.world}, {rate.kind}: {rate.text.strip('*')}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
