"""The table of a front: every verified finalist in each indicator of the objective."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lsmtune.report._front_words import choice_sentences, standing
from lsmtune.report._tables import marked, plain_table, section
from lsmtune.report._values import ADJUSTED, label, with_interval
from lsmtune.result import Front, TuneResult
from lsmtune.stats import Decision

_MARKS = {Decision.IMPROVED: ("better", "+ better"), Decision.WORSE: ("worse", "- worse")}


def front_parts(result: TuneResult, front: Front) -> Iterator[RenderableType]:
    """Yield the table of a front, and what the choice gives up."""
    yield Group(section("The front"), front_table(result, front))
    given_up = [Text(sentence) for sentence in choice_sentences(front)]
    if given_up:
        yield Group(section("What the choice gives up"), *given_up)


def front_table(result: TuneResult, front: Front) -> Table:
    """Compare every verified finalist with the reference in each indicator of the objective.

    The verdicts are one family of claims; the weighted gain in the last row of each finalist is none of them.
    """
    table = plain_table("finalist", "indicator", f"ratio [{ADJUSTED}]", "pairs", "shown", right=(3,))
    finalists = result.decisions.finalists or ()
    for place, comparison in enumerate(result.verified):
        tried = f" ({finalists[place]})" if place < len(finalists) else ""
        heads = [f"{comparison.arm}{tried}", standing(front, comparison)]
        for name, part in comparison.parts.items():
            pairs = comparison.indicators.get(name)
            ratio = "?" if pairs is None else with_interval(pairs.ratio, pairs.low, pairs.high)
            word, text = _MARKS.get(part.decision, ("", f"= {part.decision}"))
            head = Text(heads.pop(0), style="bold") if heads else Text()
            n = part.n if pairs is None else pairs.n
            table.add_row(head, Text(label(name)), Text(ratio), Text(str(n)), marked(word, text))
        claim = comparison.claim
        gain = Text(with_interval(claim.gain, claim.low, claim.high))
        table.add_row(Text(), Text("weighted gain"), gain, Text(str(claim.n)), Text("no claim"))
        table.add_section()
    return table
