"""A repetition of Jin et al. (2022) beside what was published."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lsmtune.analysis import ClassicOneWay, Runs, p_words
from lsmtune.jin2022._levels import Reading, nearest_reading
from lsmtune.jin2022._paper import JIN2022_PAPER, PAPER_NAMES
from lsmtune.jin2022._result import JIN2022_FOUND, JIN2022_FROZEN, Jin2022Result
from lsmtune.report import (
    format_indicator,
    format_option,
    label,
    percent,
    plain_table,
    ratio_text,
    section,
    with_interval,
)
from lsmtune.stats import PairedComparison
from lsmtune.units import format_seconds, plural

FORMAT = 3
"""Version of the JSON.

1: the first. 2: readings of the paper's indicators with their levels, its ratios in words. 3: groups of each test, and
tests over the runs in which a factor has an effect.
"""

_SHOWN_RANKS = 10
_NOTHING = 0.02  # log ratios below this are no gain to divide by
_ROUNDED = 0.01  # the table and the text of the paper round one number to ratios this near


def jin2022_card(result: Jin2022Result, runs: Runs) -> RenderableType:
    """Return the card of a repetition: forests, ranking, tests, genetic algorithm, and what is left of the gain."""
    parts: list[RenderableType] = [Text(_head(result, runs), style="bold")]
    if result.forests:
        parts += [section("Forests: R² on a fifth of the runs, over 10 splits"), _forests_table(result)]
        parts += [section("Ranking by mean decrease in impurity, mean over the four"), _ranking_table(result)]
        parts += [section("One-way tests as in the paper"), _tests_table(result)]
        parts += [Text(sentence) for sentence in _groups_words(result)]
    if result.generations:
        parts += [section("Genetic algorithm: best fitness (Eq. 2), single runs"), _generations_table(result)]
        parts.append(Text(_best_words(result, runs)))
    if result.left:
        parts += [section("The best chromosome over the reference"), _gains_table(result)]
        parts += [Text(sentence) for sentence in what_is_left(result)]
    if any(each.arms for each in result.readings):
        title = "Levels beside Table 2: geometric means, half of the 95 % interval"
        parts += [section(title), _levels_table(result, runs)]
        parts += [Text(sentence) for sentence in _nearest_words(result, runs)]
    return Group(*parts)


def jin2022_json(result: Jin2022Result) -> dict[str, Any]:
    """Return a repetition as JSON values, the published numbers beside it."""
    named = dict(zip(result.names, PAPER_NAMES, strict=True))
    return {
        "format": FORMAT,
        "indicators": {paper: name for name, paper in named.items()},
        "forests": {
            named[name]: {
                "r2_test": [forest.r2_test.median, forest.r2_test.low, forest.r2_test.high],
                "n": forest.n,
                "paper_r2": JIN2022_PAPER.r2[named[name]],
            }
            for name, forest in result.forests.items()
        },
        "ranking": [{"factor": factor, "share": share} for factor, share in result.ranking.items()],
        "paper_ranking": list(JIN2022_PAPER.ranking),
        "tests": {named[name]: _tests_json(tests) for name, tests in result.tests.items()},
        "tests_in_effect": {named[name]: _tests_json(tests) for name, tests in result.tests_in_effect.items()},
        "generations": [
            {"generation": each.number, "trials": each.trials, "best_fitness": each.best} for each in result.generations
        ],
        "best": dict(result.best),
        "claimed": {named[name]: ratio for name, ratio in result.claimed.items()},
        "left": {
            arm: {named[name]: _interval(pairs) for name, pairs in found.items()} for arm, found in result.left.items()
        },
        "readings": [_reading(each) for each in result.readings],
        "paper_levels": {paper: list(levels) for paper, levels in JIN2022_PAPER.levels.items()},
        "paper_ratios": dict(JIN2022_PAPER.ratios),
        "paper_text_ratios": dict(JIN2022_PAPER.text_ratios),
        "runs": [
            {"purpose": purpose, "status": status, "runs": count} for (purpose, status), count in result.counts.items()
        ],
        "run_time_s": result.run_time_s,
    }


def what_is_left(result: Jin2022Result) -> list[str]:
    """Say how much of each gain of the best chromosome remains under the workload as it was, in sentences."""
    found, frozen = result.left.get(JIN2022_FOUND, {}), result.left.get(JIN2022_FROZEN, {})
    sentences = []
    for name, paper in zip(result.names, PAPER_NAMES, strict=True):
        if name in found and name in frozen:
            whole, part = math.log(found[name].ratio), math.log(frozen[name].ratio)
            if abs(whole) > _NOTHING:
                both = f"{with_interval(*_ends(found[name]))} as found, {with_interval(*_ends(frozen[name]))}"
                share = f"{percent(part / whole)} of the change on the log scale comes from options"
                sentences.append(f"{paper}: {both} with the workload as it was: {share}.")
    return sentences


def _head(result: Jin2022Result, runs: Runs) -> str:
    total = sum(result.counts.values())
    stopped = sum(count for (_, status), count in result.counts.items() if status == "censored")
    engine = f"{runs.facts.engine} {runs.facts.version}"
    return (
        f"Jin et al. 2022 on {engine}: {plural(total, 'run')}, {stopped} censored, "
        f"{format_seconds(result.run_time_s)} of running (the paper: {JIN2022_PAPER.samples:,} samples, about "
        f"{JIN2022_PAPER.hours:g} h)"
    )


def _forests_table(result: Jin2022Result) -> Table:
    table = plain_table("indicator", "reading", "R² here [least, most]", "runs", "R² published", right=(3, 4))
    for name, paper in zip(result.names, PAPER_NAMES, strict=True):
        forest = result.forests[name]
        spread = forest.r2_test
        table.add_row(
            Text(paper, style="bold"),
            label(name),
            f"{spread.median:.2f} [{spread.low:.2f}, {spread.high:.2f}]",
            str(forest.n),
            f"{JIN2022_PAPER.r2[paper]:.3f}",
        )
    return table


def _ranking_table(result: Jin2022Result) -> Table:
    table = plain_table("place", "factor", "share", "place in the paper", right=(0, 2, 3))
    places = {name: place for place, name in enumerate(JIN2022_PAPER.ranking, start=1)}
    for place, (name, share) in enumerate(result.ranking.items(), start=1):
        if place <= _SHOWN_RANKS or name in places or name in JIN2022_PAPER.lowest:
            published = str(places[name]) if name in places else "lowest" if name in JIN2022_PAPER.lowest else "?"
            table.add_row(str(place), Text(name), percent(share), published)
    return table


def _tests_table(result: Jin2022Result) -> Table:
    table = plain_table("test", "p here", "p published", "groups differ by", "published", right=(1, 2, 3, 4))
    for published in JIN2022_PAPER.tests:
        test = result.test_of(published)
        here = ("?", "?") if test is None else (p_words(test.log10_p), percent(test.largest_difference))
        table.add_row(
            Text(f"{published.indicator} by {published.factor}"),
            here[0],
            f"{published.p:.3g}",
            here[1],
            percent(published.difference),
        )
    return table


def _groups_words(result: Jin2022Result) -> Iterator[str]:
    """Say what mean each group of the paper's tests has, a sentence for each test."""
    for published in JIN2022_PAPER.tests:
        test, name = result.test_of(published), result.reading_of(published.indicator)
        if test is None:
            continue
        ends = "" if published.means is None else f"; published {published.means[0]:g} to {published.means[1]:g}"
        yield f"{published.indicator} by {published.factor}, means of groups: {_means_words(test, name)}{ends}."
        acting = result.test_in_effect(published)
        if acting is not None:
            shown = f"p {p_words(acting.log10_p)}, groups differ by {percent(acting.largest_difference)}"
            n = sum(each.n for each in acting.means)
            yield f"In the {plural(n, 'run')} in which it has an effect: {shown}: {_means_words(acting, name)}."


def _means_words(test: ClassicOneWay, name: str) -> str:
    return ", ".join(f"{each.label} {format_indicator(name, each.mean)} (n = {each.n})" for each in test.means)


def _tests_json(tests: Iterable[ClassicOneWay]) -> dict[str, Any]:
    return {
        test.factor: {
            "log10_p": test.log10_p,
            "largest_difference": _finite(test.largest_difference),
            "groups": [asdict(mean) for mean in test.means],
        }
        for test in tests
    }


def _generations_table(result: Jin2022Result) -> Table:
    table = plain_table("generation", "chromosomes run", "best fitness", right=(0, 1, 2))
    for each in result.generations:
        table.add_row(str(each.number), str(each.trials), "?" if each.best is None else f"{each.best:.0f}")
    fitness, generation = JIN2022_PAPER.fitness
    table.add_row(Text(f"paper: {generation}"), "", Text(f"about {fitness:.0f}"))
    return table


def _best_words(result: Jin2022Result, runs: Runs) -> str:
    factors: Mapping[str, Any] = runs.by_name
    changes = [f"{name} = {format_option(value, factors[name].unit)}" for name, value in result.best.items()]
    return f"The best: {', '.join(changes) or 'the default itself'}."


def _gains_table(result: Jin2022Result) -> Table:
    n = max(pairs.n for found in result.left.values() for pairs in found.values())
    headers = ["indicator", "default", "claimed, n = 1", f"fresh [95 %, n = {n}]"]
    frozen = result.left.get(JIN2022_FROZEN)
    headers += ["workload as it was [95 %]"] if frozen else []
    table = plain_table(*headers, "published", right=(1, 2, len(headers)))
    reference = next(iter(result.levels.keys() - {JIN2022_FOUND, JIN2022_FROZEN}), "")
    for name, paper in zip(result.names, PAPER_NAMES, strict=True):
        row = [
            format_indicator(name, result.levels.get(reference, {}).get(name)),
            ratio_text(result.claimed.get(name)),
            with_interval(*_ends(result.left.get(JIN2022_FOUND, {}).get(name))),
        ]
        row += [with_interval(*_ends(frozen.get(name)))] if frozen else []
        table.add_row(Text(paper, style="bold"), *row, _published_ratio(paper))
    return table


def _published_ratio(paper: str) -> str:
    """Return the ratio of the paper's Table 2, and that of its text where that is another."""
    table, text = JIN2022_PAPER.ratios[paper], JIN2022_PAPER.text_ratios[paper]
    is_one = math.isclose(table, text, rel_tol=_ROUNDED)
    return ratio_text(table) if is_one else f"{ratio_text(table)}, in the text {ratio_text(text)}"


def _levels_table(result: Jin2022Result, runs: Runs) -> Table:
    arms = {runs.facts.reference: "default", JIN2022_FOUND: "found", JIN2022_FROZEN: "workload as it was"}
    known = {arm for each in result.readings for arm in each.arms}
    shown = {arm: words for arm, words in arms.items() if arm in known}
    counts = {arm: max(each.arms[arm].n for each in result.readings if arm in each.arms) for arm in shown}
    headers = [f"{words}, n = {counts[arm]}" for arm, words in shown.items()]
    table = plain_table("", "reading", *headers, "published", right=tuple(range(2, 3 + len(headers))))
    named = ""
    for each in result.readings:
        first, named = each.paper != named, each.paper
        published = ", ".join(format_indicator(each.name, level) for level in JIN2022_PAPER.levels[each.paper])
        table.add_row(
            Text(each.paper if first else "", style="bold"),
            Text(each.name),
            *(_level_words(each, arm) for arm in shown),
            published if first else "",
        )
    return table


def _level_words(reading: Reading, arm: str) -> str:
    level = reading.arms.get(arm)
    if level is None:
        return "?"
    words = format_indicator(reading.name, level.mean)
    if level.low is None or level.high is None:
        return f"{words} ± ?"
    return f"{words} ± {percent(math.sqrt(level.high / level.low) - 1)}"


def _nearest_words(result: Jin2022Result, runs: Runs) -> list[str]:
    """Say of each of the paper's indicators which reading is nearest to the published level of the default."""
    near = []
    for paper in PAPER_NAMES:
        nearest = nearest_reading(result.readings, paper, runs.facts.reference)
        if nearest is not None:
            near.append(f"{paper} {nearest[0]} ({ratio_text(nearest[1])} of it)")
    return [f"Nearest to the published default: {', '.join(near)}."] if near else []


def _reading(reading: Reading) -> dict[str, Any]:
    arms = {arm: asdict(level) for arm, level in reading.arms.items()}
    return {"of": reading.paper, "reading": reading.name, "arms": arms}


def _ends(pairs: PairedComparison | None) -> tuple[float | None, float | None, float | None]:
    return (None, None, None) if pairs is None else (pairs.ratio, pairs.low, pairs.high)


def _interval(pairs: PairedComparison) -> dict[str, float]:
    return {"ratio": pairs.ratio, "low": pairs.low, "high": pairs.high, "level": pairs.level, "n": pairs.n}


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
