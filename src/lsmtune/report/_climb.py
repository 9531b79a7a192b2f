"""Up to which scale a result holds, in the words and tables of cards and pages."""

from rich.table import Table
from rich.text import Text

from lsmtune.report._tables import plain_table
from lsmtune.report._values import ADJUSTED, label, listed, percent, with_interval
from lsmtune.result import ClimbOutcome, Shrink, TuneResult, at_scale_words, climb_words, lost_words, place_of

_SHRINK = {
    Shrink.TREE: "At these scales data and size options shrink together, as at the scale of the study.",
    Shrink.DATA: "At these scales only the data is smaller than in production; options have their full size.",
}


def holding_words(result: TuneResult) -> str:
    """Say up to where a winner holds, in words; empty where nothing was climbed, or the reference stays."""
    climb = result.climb
    return climb_words(climb, climb.taken, label) if result.improved and climb is not None and climb.taken else ""


def holds_sentence(result: TuneResult) -> str:
    """Say up to where a winner holds, and which finalists lost: sentences; empty as `holding_words` is."""
    climb, words = result.climb, holding_words(result)
    if climb is None or not words:
        return ""
    sentences = [f"{each}." for each in lost_words(climb, label)]
    return " ".join([f"Where it holds: {words}.", *(_capital(each) for each in sentences)])


def unheld_sentence(result: TuneResult) -> str:
    """Say what larger scales have shown where the reference stays: a sentence; empty where nothing was climbed."""
    climb = result.climb
    if climb is None:
        return ""
    if all(each.outcome is not ClimbOutcome.HOLDS for each in climb.seen):
        return "It was not shown to hold at any larger scale."
    if not climb.taken:
        return f"{lost_sentence(result)}."
    holding = climb_words(climb, climb.taken, label)
    return f"{_capital(climb.taken)} {holding}; it is no winner, as other runs speak against it."


def lost_sentence(result: TuneResult) -> str:
    """Say that all finalists lost at larger scales, without a full stop; empty where one did not."""
    climb = result.climb
    if climb is None or climb.taken:
        return ""
    return f"Lost at a larger scale: {'; '.join(lost_words(climb, label))}"


def climb_table(result: TuneResult) -> Table | None:
    """List what was verified at larger scales; None where nothing was."""
    climb = result.climb
    if climb is None:
        return None
    finalists = result.decisions.finalists or ()
    table = plain_table("scale", "finalist", f"gain [{ADJUSTED}]", "pairs", "there", right=(3,))
    for each in climb.seen:
        claim = None if each.comparison is None else each.comparison.claim
        gain = "?" if claim is None else with_interval(claim.gain, claim.low, claim.high)
        pairs = "0" if claim is None else str(claim.n)
        words = at_scale_words(each, label) if claim is None else each.outcome
        finalist = f"{each.step.arm} ({finalists[place_of(each.step.arm) - 1]})"
        table.add_row(*map(Text, (str(each.scale), finalist, gain, pairs, words)))
    return table


def climb_note(result: TuneResult) -> str:
    """Say what is smaller at these scales than in production, and how the numbers are corrected."""
    climb = result.climb
    if climb is None:
        return ""
    shared = f", and shared by {len(climb.order)} finalists" if len(climb.order) > 1 else ""
    scales = listed([str(scale) for scale in climb.climbing.scales])
    return (
        f"{_SHRINK[climb.climbing.shrink]} Intervals are adjusted for the looks{shared}; "
        f"{percent(climb.climbing.share)} of the budget may go into {scales}."
    )


def _capital(sentence: str) -> str:
    return f"{sentence[0].upper()}{sentence[1:]}"
