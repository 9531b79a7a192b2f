"""Runs many studies in worker processes, and keeps each answer as it comes."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import lsmtune
from lsmtune.testing.hostile._questions import Kind, Question
from lsmtune.testing.hostile._studies import run_study
from lsmtune.testing.hostile._worlds import WORLDS

_CHUNK = 5  # studies of one task: few enough to go on soon, many enough to hide the cost of passing them


@dataclass(frozen=True)
class Answered:
    """What one study answered, as it is kept.

    Attributes:
        world: name of its world.
        kind: how it went.
        seed: of the study.
        shares: yes or no by question.
        lost, gained: see `lsmtune.testing.hostile.Answers`.
        problem: with what lsmtune ended it; empty where it came to its end.
        code: of which code it speaks, see `code_fingerprint`.
    """

    world: str
    kind: Kind
    seed: int
    shares: dict[Question, bool]
    lost: float | None
    gained: float | None
    problem: str
    code: str

    def to_line(self) -> str:
        """Return it as a line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_line(cls, line: str) -> "Answered":
        """Return what `to_line` wrote."""
        fields = json.loads(line)
        shares = {Question(name): yes for name, yes in fields.pop("shares").items()}
        return cls(shares=shares, kind=Kind(fields.pop("kind")), **fields)


def studies_of(worlds: Iterable[str], kinds: Iterable[Kind]) -> list[tuple[str, Kind]]:
    """Return which kinds of studies are run in which worlds: those that can answer what the world asks."""
    wanted = list(kinds)
    return [
        (name, kind) for name in worlds for kind in wanted if any(each.asked_of(kind) for each in WORLDS[name].asks)
    ]


def answer_all(todo: Sequence[tuple[str, Kind, int]], workers: int = 2) -> Iterator[Answered]:
    """Run studies, each given as world, kind and seed, and return their answers as they come."""
    chunks = [todo[at : at + _CHUNK] for at in range(0, len(todo), _CHUNK)]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for done in as_completed([pool.submit(_answer, chunk) for chunk in chunks]):
            yield from done.result()


def read_kept(path: Path) -> list[Answered]:
    """Return the answers that a file keeps of this code; those of other code are left out."""
    if not path.exists():
        return []
    answers = (Answered.from_line(line) for line in path.read_text("utf-8").splitlines())
    return [each for each in answers if each.code == code_fingerprint()]


@cache
def code_fingerprint() -> str:
    """Return what changes with every change of lsmtune's own code."""
    folder = Path(lsmtune.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(f"{path.relative_to(folder)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def _answer(todo: Sequence[tuple[str, Kind, int]]) -> list[Answered]:
    found = []
    for name, kind, seed in todo:
        answers = run_study(WORLDS[name], kind, seed)
        lost, gained, problem = answers.lost, answers.gained, answers.problem
        found.append(Answered(name, kind, seed, answers.shares, lost, gained, problem, code_fingerprint()))
    return found
