"""What qualifies a verdict, in words: what an improvement holds for, and what got worse beside it."""

from lsmtune.report._values import label, listed, with_interval
from lsmtune.result import Comparison, TuneResult, worse_parts


def qualified(result: TuneResult) -> str:
    """Say behind "improved" what that holds for; empty where nothing takes the meaning from it."""
    return f" {result.meaning.qualifier}" if result.meaning.qualifier else ""


def but_worse(result: TuneResult, comparison: Comparison) -> str:
    """Say what the objective weighs and what is shown to be worse, behind the mean; empty where nothing is."""
    worse = [
        f"{label(name)} is {with_interval(pairs.ratio, pairs.low, pairs.high)}"
        for name, pairs in worse_parts(result.rules, comparison).items()
    ]
    return f", but {listed(worse)}" if worse else ""


def apart_from(result: TuneResult) -> str:
    """Say which trials looked better and were no finalists; empty where there are none."""
    words = result.meaning.kept_out_words
    return f", apart from those that are better {words} only" if words else ""
