"""The card of an analysis: which options matter, by how much, how sure, and what can be done with it."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.text import Text

from lsmtune.analysis import Analysis, IndicatorAnalysis
from lsmtune.report._about import bullets, facts_grid
from lsmtune.report._analysis_tables import Characters, factors_table, groups_table, one_way_table, unseen
from lsmtune.report._analysis_words import (
    curve_sentence,
    options_to_tune,
    pair_sentences,
    shadows_sentence,
    stopped_sentence,
    trust_sentence,
    trust_verdict,
)
from lsmtune.report._tables import section
from lsmtune.report._values import label

_FACTS = ("engine", "host", "scale", "keys", "reference")
_LEGEND = (
    "R² lost: by how much R² on unseen runs falls when the values of the factor are shuffled. Sobol total: its share "
    "of the model's variance, interactions included. omega²: its share of all variance in one joint linear model; p is "
    "adjusted over all tests of all indicators. The last column gives the best values and, in brackets, least and "
    "largest ratio to the reference along the curve; unclear where intervals overlap."
)


def analysis_card(analysis: Analysis) -> RenderableType:
    """Return the card of an analysis: for each indicator trust and factors; then what can be done, and the warnings."""
    return _AnalysisCard(analysis)


def sentences_of(analysis: Analysis, kind: str) -> list[str]:
    """Return the sentences of all indicators, once where all share one, else with the name of the indicator.

    Args:
        analysis: of a study.
        kind: ``"warnings"`` or ``"missing"``.
    """
    told: dict[str, list[str]] = {}
    for found in analysis.indicators:
        for sentence in getattr(found, kind):
            told.setdefault(sentence, []).append(found.indicator)
    every = len(analysis.indicators)
    return [
        sentence if len(names) == every else f"{', '.join(label(name) for name in names)}: {sentence}"
        for sentence, names in told.items()
    ]


@dataclass(frozen=True)
class _AnalysisCard:
    analysis: Analysis

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        characters, width = Characters(options.ascii_only), options.max_width
        yield from self._head()
        for found in self.analysis.indicators:
            yield Text()
            yield from self._indicator(found, width, characters)
        yield Text()
        yield characters.text(_LEGEND, "dim")
        for part in (*self._whole(characters), *self._one_way(), *self._said(characters)):
            yield Text()
            yield part

    def _head(self) -> Iterator[RenderableType]:
        analysis = self.analysis
        name = analysis.facts.get("name", "study")
        yield Text(f"{name}: what {len(analysis.factors)} factors do in {analysis.runs:,} runs", style="bold")
        rows = [(fact, analysis.facts[fact]) for fact in _FACTS if analysis.facts.get(fact)]
        if rows:
            yield facts_grid(rows)

    def _indicator(self, found: IndicatorAnalysis, width: int, characters: Characters) -> Iterator[RenderableType]:
        yield section(f"{label(found.indicator)} ({found.indicator})")
        sentences = [trust_sentence(found.trust), trust_verdict(found.trust), curve_sentence(found.trust) or ""]
        yield characters.text(" ".join(sentences).rstrip())
        table = factors_table(found, self.analysis.factors, width, characters)
        yield table if table is not None else Text("No factor was shown to matter.")
        rest = unseen(found, self.analysis.factors)
        if rest:
            yield Text(f"No effect was seen of: {', '.join(rest)}.")
        pairs = pair_sentences(found)
        if pairs:
            yield Group(Text("Interactions:"), bullets(map(characters.fit, pairs)))

    def _whole(self, characters: Characters) -> Iterator[RenderableType]:
        """Yield what is said over all indicators."""
        yield Group(section("What can be changed, and how"), groups_table(self.analysis))
        names = options_to_tune(self.analysis)
        if names:
            yield Group(section("To tune what matters, most first"), Text("[space]", style="cyan"), _assignment(names))
        agreement = [
            f"{label(found.indicator).capitalize()}: {found.agreement_words}"
            for found in self.analysis.indicators
            if found.agreement_words
        ]
        if agreement:
            yield Group(section("Forest and analysis of variance"), *map(characters.text, agreement))
        if self.analysis.stopped:
            stopped = map(stopped_sentence, self.analysis.stopped)
            yield Group(section("Censored runs"), bullets(map(characters.fit, stopped)))
        shadows = shadows_sentence(self.analysis)
        if shadows is not None:
            yield characters.text(shadows)

    def _one_way(self) -> Iterator[RenderableType]:
        for found in self.analysis.indicators:
            if found.one_way:
                title = f"{label(found.indicator)}: one factor at a time, as Jin et al. (2022) did"
                note = "Raw values, equal variances assumed, no correction: about 1 in 20 null factors has p <= .05."
                yield Group(section(title), Text(note), one_way_table(found))

    def _said(self, characters: Characters) -> Iterator[RenderableType]:
        missing = [*self.analysis.missing, *sentences_of(self.analysis, "missing")]
        for title, sentences in (("Not answered", missing), ("Findings", sentences_of(self.analysis, "warnings"))):
            if sentences:
                yield Group(section(title), bullets(map(characters.fit, sentences), "yellow"))


def _assignment(names: tuple[str, ...]) -> Text:
    """Return the line of an experiment file that names options; it may be wrapped at any blank."""
    quoted = ", ".join(f'"{name}"' for name in names)
    return Text(f"options = [{quoted}]", style="cyan")
