"""The tables of an analysis: factors that matter, one-way tests, ways of changing."""

from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from lsmtune.analysis import (
    SHADOWS,
    Analysis,
    ClassicOneWay,
    Estimate,
    IndicatorAnalysis,
    PermutationImportance,
    TermTest,
    p_words,
)
from lsmtune.report._about import facts_grid
from lsmtune.report._analysis_words import CHANGES, direction_words, estimate_text, groups_of, members_of
from lsmtune.report._tables import plain_table
from lsmtune.report._values import format_indicator, label, listed, percent
from lsmtune.space import Factor

_WIDE = 136  # columns from which bars and Sobol indices have a place
_ROOMY = 100  # columns from which names of options need not be folded
_USUAL = 80  # columns from which numbers stay on one line
_NAME = 36
_BAR = 10


@dataclass(frozen=True)
class Characters:
    """What a terminal can print."""

    ascii_only: bool

    @property
    def block(self) -> str:
        """A piece of a bar."""
        return "#" if self.ascii_only else "█"

    def fit(self, words: str) -> str:
        """Return words that the terminal can print: ``R²`` becomes ``R2``."""
        return words.replace("²", "2") if self.ascii_only else words

    def text(self, words: str, style: str = "") -> Text:
        """Return printable words as text."""
        return Text(self.fit(words), style=style)


@dataclass(frozen=True)
class _Row:
    name: str
    importance: PermutationImportance | None
    total: Estimate | None
    test: TermTest | None
    words: str

    @property
    def loss(self) -> float:
        return self.importance.loss.value if self.importance is not None else 0.0


def factors_table(
    found: IndicatorAnalysis, factors: tuple[Factor, ...], width: int, characters: Characters
) -> Table | None:
    """List the factors that matter for an indicator, the larger shadow feature among them; None where none does."""
    rows = _rows(found, factors)
    if not rows:
        return None
    wide = width >= _WIDE
    headers = ["factor", *([""] if wide else []), "R² lost [95 %]", *(["Sobol total"] if wide else [])]
    headers += ["omega², p (Holm)", label(found.indicator)]
    table = plain_table(*(characters.fit(header) for header in headers))
    # Of fixed width: rich shrinks columns first and then widens them to their least width, past the edge.
    table.columns[0].width = min(_NAME if width >= _ROOMY else _NAME // 2, max(len(row.name) for row in rows))
    for column in table.columns[1:-1]:
        column.no_wrap = width >= _USUAL
    most = max(row.loss for row in rows)
    for row in rows:
        bar = characters.block * round(_BAR * max(row.loss, 0) / most) if most > 0 else ""
        cells = [
            row.name,
            *([bar] if wide else []),
            estimate_text(row.importance.loss if row.importance is not None else None),
            *([estimate_text(row.total) if row.total is not None else "-"] if wide else []),
            _anova_cell(row.test),
            row.words,
        ]
        table.add_row(*(characters.text(cell) for cell in cells), style="dim" if row.name in SHADOWS else "")
    return table


def unseen(found: IndicatorAnalysis, factors: tuple[Factor, ...]) -> tuple[str, ...]:
    """Return the factors of which no effect was seen; members of a bundle that matters are not among them."""
    seen = set(found.matters) | set(members_of(found, found.matters))
    return tuple(factor.name for factor in factors if factor.name not in seen)


def groups_table(analysis: Analysis) -> Table:
    """List what matters by how it can be changed, with the indicators that each factor matters for."""
    rows = []
    for change, names in groups_of(analysis).items():
        words = [f"{name} ({', '.join(label(indicator) for indicator in of)})" for name, of in names.items()]
        rows.append((CHANGES[change], listed(words) or "nothing"))
    return facts_grid(rows)


def one_way_table(found: IndicatorAnalysis) -> Table:
    """List the one-way tests of Jin et al. (2022), the surest first, with their ranking by impurity."""
    table = plain_table("factor", "MDI place", "F", "p", "groups differ by", "group means", right=(1, 2, 3, 4))
    impurity = found.importance.impurity
    places = {one.name: f"{one.rank.median:g}" for one in impurity.importances} if impurity is not None else {}
    for test in sorted(found.one_way, key=lambda test: test.log10_p):
        means = (f"{mean.label}: {format_indicator(found.indicator, mean.mean)}" for mean in test.means)
        cells = [test.factor, places.get(test.factor, "?"), f"{test.f:.1f}", p_words(test.log10_p)]
        table.add_row(*map(Text, [*cells, percent(test.largest_difference), _means(test, list(means))]))
    return table


def _means(test: ClassicOneWay, words: list[str]) -> str:
    return f"{'; '.join(words)} (n = {', '.join(str(mean.n) for mean in test.means)})"


def _rows(found: IndicatorAnalysis, factors: tuple[Factor, ...]) -> list[_Row]:
    by_name = {factor.name: factor for factor in factors}
    permutation, sensitivity = found.importance.permutation, found.importance.sensitivity
    losses = {one.player.name: one for one in permutation.importances} if permutation is not None else {}
    totals = {one.player.name: one.total for one in sensitivity.indices} if sensitivity is not None else {}
    tests = {test.term: test for test in found.anova.tests} if found.anova is not None else {}
    shadows = sorted((name for name in SHADOWS if name in losses), key=lambda name: losses[name].loss.high)
    names = [*found.matters, *shadows[-1:]] if found.matters else []
    rows = [
        _Row(name, losses.get(name), totals.get(name), tests.get(name), _direction(found, name, by_name))
        for name in names
    ]
    return sorted(rows, key=lambda row: -row.loss)


def _direction(found: IndicatorAnalysis, name: str, by_name: dict[str, Factor]) -> str:
    if name in SHADOWS:
        return "does nothing: what chance looks like"
    if name not in by_name:
        return "tied by a constraint"
    return direction_words(found.curve(name), by_name[name], found.indicator)


def _anova_cell(test: TermTest | None) -> str:
    if test is None:
        return "-"
    return f"{max(test.overall.value, 0.0):.2f}, {p_words(test.p.log10_holm)}"
