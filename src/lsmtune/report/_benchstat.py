"""Fresh runs in the format of Go's benchmarks, which benchstat reads."""

import re
from collections.abc import Iterator

from lsmtune.indicators import indicator
from lsmtune.model import Purpose, StudyKind
from lsmtune.result import History, TuneResult, finalist

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_PROCESSORS = re.compile(r"-(\d+)$")
_FRESH = (Purpose.VERIFY, Purpose.CONFIRM)


def benchstat_text(result: TuneResult, history: History) -> str:
    """Return a line for each fresh run with its indicators; empty where nothing was verified.

    ``benchstat -col /arm FILE`` compares the arms. It takes the runs of an arm as a sample and does not know that they
    were made in pairs, so its intervals are wider than lsmtune's. The reference's runs stand first: benchstat takes the
    first arm that it meets for the base. See the Go project's proposal 14313 for the format, and
    golang.org/x/perf/benchfmt for the lines that say which way a unit is better.

    Args:
        result: what the study says; it names the arms.
        history: its runs.
    """
    runs = list(_runs(result, history))
    return "".join(f"{line}\n" for line in (*_units(result), *runs)) if runs else ""


def _units(result: TuneResult) -> Iterator[str]:
    for name in result.rules.shown:
        better = indicator(name).better
        if better is not None:
            yield f"Unit {_word(name)} better={better}"


def _runs(result: TuneResult, history: History) -> Iterator[str]:
    study = _word(result.description.name)
    fresh = sorted(history.select(_FRESH), key=lambda stored: stored.run.arm != result.rules.reference)
    words = _arm_words(result, list(dict.fromkeys(stored.run.arm for stored in fresh)))
    for stored in fresh:
        values = ((name, history.columns[name].get(stored.run.id)) for name in result.rules.shown)
        shown = [f"{value:.10g} {_word(name)}" for name, value in values if value is not None]
        if shown:
            yield f"Benchmark{study[:1].upper()}{study[1:]}/arm={words[stored.run.arm]} 1 {' '.join(shown)}"


def _arm_words(result: TuneResult, arms: list[str]) -> dict[str, str]:
    """Return a word for each arm, all different: the user's own name for it where there is one."""
    decisions, reference = result.decisions, result.rules.reference
    given = decisions.finalists or () if decisions.plan is StudyKind.COMPARE else ()
    names = {finalist(place): name for place, name in enumerate(given, start=1)}
    if result.builds:
        names[reference] = f"{reference} {result.description.build.version}"
    words: dict[str, str] = {}
    for arm in arms:
        word = plain = _arm_word(names.get(arm, arm))
        number = 1
        while word in words.values():  # two names may differ only in signs that a word cannot hold
            number += 1
            word = f"{plain}_{number}"
        words[arm] = word
    return words


def _arm_word(name: str) -> str:
    """Return a name as a word; a number after a last dash would be read as that of processors."""
    return _PROCESSORS.sub(r"_\1", _word(name))


def _word(text: str) -> str:
    return _UNSAFE.sub("-", text.replace("@", "-of-")).strip("-")
