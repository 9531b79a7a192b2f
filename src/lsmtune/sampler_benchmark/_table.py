"""Several questions to samplers in one table, and what tells them apart."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from rich.console import Group, RenderableType
from rich.text import Text

from lsmtune.analysis import p_words
from lsmtune.report import percent, plain_table, section
from lsmtune.sampler_benchmark._benchmark import Answer
from lsmtune.sampler_benchmark._paired import Difference, differences
from lsmtune.sampler_benchmark._search import BenchmarkedSearch
from lsmtune.units import plural

if TYPE_CHECKING:
    import pandas as pd

_MARKS = (20, 50)


def questions_card(answers: Sequence[Answer]) -> RenderableType:
    """Return what each sampler found in each question, and how the first one differs from the others.

    Args:
        answers: to each question by the same samplers, the first of which is compared with the others.
    """
    marks = _marks(answers)
    headers = [f"after {mark} runs" for mark in marks]
    table = plain_table("question", "sampler", *headers, "held", "changed", right=tuple(range(2, len(marks) + 4)))
    for answer in answers:
        for place, name in enumerate(_samplers(answer)):
            own = _of(answer, name)
            shares = _shares(answer, own)
            table.add_row(
                Text(answer.name if place == 0 else ""),
                Text(name, style="bold"),
                *(Text(_spread(shares[:, mark - 1])) for mark in marks),
                Text(percent(float(np.mean([each.held[-1] for each in own])))),
                Text(f"{np.median([each.changed[-1] for each in own]):g}"),
            )
    (seeds,) = {answer.seeds for answer in answers}
    about = (
        f"Share of the best-known gain, on a logarithmic scale: median over {seeds} searches each [quartiles]. Of "
        "three finalists the truly best that holds all guards is handed over. Held: in how many of the searches there "
        "is a first finalist at the end that truly holds all guards. Changed: options that what is handed over "
        "changes, median."
    )
    (noise,) = {answer.noise for answer in answers}
    if noise != 1.0:
        about += f" One run varies {noise:g} times as much as the recorded ones did."
    return Group(Text(about), table, *_compared(answers))


def questions_json(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return all searches and all differences as values of JSON."""
    return {
        "format": 1,
        "questions": [
            {
                "question": answer.name,
                "stand": answer.stand,
                "noise": answer.noise,
                "best_known_log_gain": answer.best,
                "searches": [
                    {
                        "sampler": each.sampler,
                        "seed": each.seed,
                        "log_gains": each.gains.tolist(),
                        "held": each.held.tolist(),
                        "changed": each.changed.tolist(),
                        "asking_s": each.asking_s,
                    }
                    for each in answer.searches
                ],
            }
            for answer in answers
        ],
        "differences": [
            {
                "question": each.question,
                "rival": each.rival,
                "after": mark,
                "median": each.median,
                "quartiles": list(each.quartiles),
                "log10_p_holm": each.p.log10_holm,
            }
            for mark, found in _differences(answers)
            for each in found
        ],
    }


def searches_table(answers: Sequence[Answer]) -> "pd.DataFrame":
    """Return what would be handed over after each run of each search: a row for each, the gain as natural logarithm."""
    import pandas as pd

    parts = [
        pd.DataFrame(
            {
                "question": answer.name,
                "stand": answer.stand,
                "noise": answer.noise,
                "sampler": each.sampler,
                "seed": each.seed,
                "run": np.arange(1, len(each.gains) + 1),
                "log_gain": each.gains,
                "best_known_log_gain": answer.best,
                "first_finalist_holds": each.held,
                "changed_options": each.changed,
            }
        )
        for answer in answers
        for each in answer.searches
    ]
    return pd.concat(parts, ignore_index=True)


def _compared(answers: Sequence[Answer]) -> list[RenderableType]:
    first, *rivals = _samplers(answers[0])
    if not rivals:
        return []
    compared = plural(len(answers) * len(rivals), "comparison")
    parts: list[RenderableType] = [
        Text(
            f"\n{first} less each other sampler, in points of the share: median over pairs of searches with the same "
            f"seed [quartiles]; p of a signed-rank test, after Holm over all {compared} of a table."
        )
    ]
    for mark, found in _differences(answers):
        table = plain_table("question", *rivals, right=tuple(range(1, len(rivals) + 1)))
        for answer in answers:
            own = {each.rival: each for each in found if each.question == answer.name}
            table.add_row(Text(answer.name), *(Text(_words(own[rival])) for rival in rivals))
        parts += [section(f"after {mark} runs"), table]
    return parts


def _differences(answers: Sequence[Answer]) -> list[tuple[int, tuple[Difference, ...]]]:
    """Return the differences between the first sampler and the others, by the number of runs."""
    first, *rivals = _samplers(answers[0])
    told = []
    for mark in _marks(answers) if rivals else ():
        shares = {
            (answer.name, name): _shares(answer, _of(answer, name))[:, mark - 1]
            for answer in answers
            for name in (first, *rivals)
        }
        names = [answer.name for answer in answers]
        pairs = [(name, rival, shares[name, first] - shares[name, rival]) for name in names for rival in rivals]
        told.append((mark, differences(pairs)))
    return told


def _words(found: Difference) -> str:
    low, high = (100 * each for each in found.quartiles)
    return f"{100 * found.median:+.0f} [{low:+.0f}, {high:+.0f}], p {p_words(found.p.log10_holm)}"


def _marks(answers: Sequence[Answer]) -> list[int]:
    runs = min(answer.runs for answer in answers)
    return sorted({min(mark, runs) for mark in _MARKS})


def _samplers(answer: Answer) -> list[str]:
    return list(dict.fromkeys(each.sampler for each in answer.searches))


def _of(answer: Answer, sampler: str) -> list[BenchmarkedSearch]:
    return [each for each in answer.searches if each.sampler == sampler]


def _shares(answer: Answer, searches: Sequence[BenchmarkedSearch]) -> npt.NDArray[np.float64]:
    """Return the share of the best-known log gain after each run, shape (searches, runs); 0 where none is known."""
    return np.array([each.gains for each in searches]) / (answer.best or 1.0)


def _spread(shares: npt.NDArray[np.float64]) -> str:
    low, middle, high = np.quantile(shares, [0.25, 0.5, 0.75]) * 100
    return f"{middle:.0f} [{low:.0f}, {high:.0f}] %"
