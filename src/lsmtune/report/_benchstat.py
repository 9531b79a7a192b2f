"""Fresh runs in the format of Go's benchmarks, which benchstat reads."""

import re
from collections.abc import Iterator

from lsmtune.indicators import indicator
from lsmtune.model import Purpose
from lsmtune.result import Decisions, History, Plan, Rules, finalist

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_FRESH = (Purpose.VERIFY, Purpose.CONFIRM)


def benchstat_text(name: str, history: History, rules: Rules, decisions: Decisions) -> str:
    """Return a line for each fresh run with its indicators; empty where nothing was verified.

    ``benchstat -col /arm FILE`` compares the arms. It takes the runs of an arm as a sample and does not know that they
    were made in pairs, so its intervals are wider than lsmtune's. See the Go project's proposal 14313 for the format.

    Args:
        name: of the study.
        history: its runs.
        rules: by what it is judged.
        decisions: what its stages decided; they name the arms.
    """
    runs = list(_runs(_word(name), history, rules, decisions))
    return "".join(f"{line}\n" for line in (*_units(rules), *runs)) if runs else ""


def _units(rules: Rules) -> Iterator[str]:
    for name in rules.shown:
        better = indicator(name).better
        if better is not None:
            yield f"Unit {_word(name)} better={better}"


def _runs(study: str, history: History, rules: Rules, decisions: Decisions) -> Iterator[str]:
    names = _names(decisions)
    for stored in history.select(_FRESH):
        values = ((name, history.columns[name].get(stored.run.id)) for name in rules.shown)
        shown = [f"{value:.10g} {_word(name)}" for name, value in values if value is not None]
        arm = names.get(stored.run.arm, stored.run.arm)
        if shown:
            yield f"Benchmark{study[:1].upper()}{study[1:]}/arm={_word(arm)} 1 {' '.join(shown)}"


def _names(decisions: Decisions) -> dict[str, str]:
    """Return what the user calls the arms, where it was the user who named them."""
    given = decisions.finalists or () if decisions.plan is Plan.COMPARE else ()
    return {finalist(place): name for place, name in enumerate(given, start=1)}


def _word(text: str) -> str:
    return _UNSAFE.sub("-", text.replace("@", "-of-")).strip("-")
