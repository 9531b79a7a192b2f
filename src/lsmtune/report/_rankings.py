"""Rankings of trials by one indicator each: tables, one sentence on who leads, JSON."""

import math
from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lsmtune.report._lists import changed_words
from lsmtune.report._plain import plain
from lsmtune.report._tables import plain_table
from lsmtune.report._values import NO_UNITS, format_indicator, label, listed, percent, ratio_text
from lsmtune.result import Ranked, Ranking, Rankings, TuneResult
from lsmtune.units import plural

_NO_CLAIM = (
    "Nothing here is a claim: each trial ran once, and the best of many single runs looks better than it is. To claim "
    "a gain in one of these, tune with it alone in [objective]."
)
_NO_LEADER = "no trial that holds its bounds is better than the reference"


def rankings_view(result: TuneResult, rankings: Rankings, option_units: Mapping[str, str] = NO_UNITS) -> RenderableType:
    """Return a table for each ranking, and under them who leads; none of the gains is a claim.

    Args:
        result: what the study says.
        rankings: the trials of the same study, ranked.
        option_units: unit by option, from the catalogue.
    """
    parts: list[RenderableType] = []
    for ranking in rankings.by:
        parts += [_table(result, rankings, ranking, option_units), Text(_basis(ranking)), Text()]
    return Group(*parts, Text(leaders_sentence(rankings)), Text(_NO_CLAIM))


def leaders_sentence(rankings: Rankings) -> str:
    """Say in one sentence in which rankings the study's winner leads, and which trials lead in the others."""
    winner = rankings.winner
    own = [ranking for ranking in rankings.by if ranking.winner_leads]
    clauses = [_other_leader(ranking) for ranking in rankings.by if not ranking.winner_leads]
    if winner is None:
        clauses.insert(0, f"By the objective {_NO_LEADER}")
    else:
        arm = winner.stored.run.arm
        who = f"{arm}, {'the verified winner' if rankings.verified else 'the leader by the objective'},"
        clauses.insert(0, f"{who} leads in {_where(own, len(rankings.by))}")
    return f"{'; '.join(clauses)}."


def rankings_json(rankings: Rankings) -> dict[str, Any]:
    """Return rankings as values of JSON: base units, logarithms of gains, None for what is not known."""
    return {
        "winner": None if rankings.winner is None else rankings.winner.stored.run.arm,
        "verified": rankings.verified,
        "sentence": leaders_sentence(rankings),
        "note": _NO_CLAIM,
        "by": [_ranking_json(rankings, ranking) for ranking in rankings.by],
    }


def _table(result: TuneResult, rankings: Rankings, ranking: Ranking, option_units: Mapping[str, str]) -> Table:
    table = plain_table("", "trial", "gain, n = 1", "value", "objective", "bounds", "changed", right=(0, 2, 3, 4))
    table.title = Text(f"Best trials by {_words(ranking)}, seen during the search; not a claim", style="bold")
    table.title_justify = "left"
    for place, ranked in enumerate(ranking.trials, start=1):
        held, run = ranked.violation == 0, ranked.stored.run
        table.add_row(
            Text(str(place)),
            Text(run.arm),
            Text(_gain(ranked.log_gain)),
            Text(format_indicator(ranking.indicator, ranking.values.get(run.id))),
            Text(_gain(rankings.gains.get(run.id))),
            Text("held" if held else "passed", style="" if held else "red"),
            Text(changed_words(result, ranked, option_units)),
        )
    return table


def _basis(ranking: Ranking) -> str:
    """Say out of how many trials the best were taken, and how much single runs vary."""
    if not ranking.compared:
        return "No trial has a ratio to the reference in it: none has ended well, or a value is 0."
    trials = f"The best {len(ranking.trials)} of {plural(ranking.compared, 'trial')}."
    noise = ranking.noise
    if noise is None:
        return f"{trials} How much single runs of the reference vary is not known."
    spread = f"{percent(noise.sd_log)} [{percent(noise.sd_low)}, {percent(noise.sd_high)}]"
    return f"{trials} Single runs of the reference vary by {spread}, n = {noise.n}."


def _other_leader(ranking: Ranking) -> str:
    leader = ranking.leader
    if leader is None:
        return f"in {_words(ranking)} {_NO_LEADER}"
    beside = "" if ranking.winner is None else f"; {ranking.winner.stored.run.arm} has {_gain(ranking.winner.log_gain)}"
    return f"in {_words(ranking)} {leader.stored.run.arm} leads ({_gain(leader.log_gain)}{beside})"


def _where(led: list[Ranking], of: int) -> str:
    """Name the rankings that the winner leads."""
    if len(led) == of > 1:
        return "every ranking"
    return listed([_words(ranking) for ranking in led]) or "none of these"


def _words(ranking: Ranking) -> str:
    base = ranking.indicator.partition("@")[0]
    return label(f"{base}@{ranking.phase}" if ranking.phase else base)


def _gain(log_gain: float | None) -> str:
    return ratio_text(None if log_gain is None else math.exp(log_gain))


def _ranking_json(rankings: Rankings, ranking: Ranking) -> dict[str, Any]:
    leader = ranking.leader
    return {
        "indicator": ranking.indicator,
        "step": ranking.phase or None,
        "noise": plain(ranking.noise),
        "compared": ranking.compared,
        "leader": None if leader is None else leader.stored.run.arm,
        "winner_leads": ranking.winner_leads,
        "trials": [_trial_json(rankings, ranking, trial) for trial in ranking.trials],
    }


def _trial_json(rankings: Rankings, ranking: Ranking, trial: Ranked) -> dict[str, Any]:
    run = trial.stored.run
    return {
        "run": run.id,
        "arm": run.arm,
        "log_gain": plain(trial.log_gain),
        "value": plain(ranking.values.get(run.id)),
        "objective_log_gain": plain(rankings.gains.get(run.id)),
        "violation": plain(trial.violation),
        "values": plain(run.configuration.values),
    }
