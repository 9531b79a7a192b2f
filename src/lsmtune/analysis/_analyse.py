"""The whole analysis of a study: which options matter, by how much, how sure, and for which indicator."""

from collections.abc import Mapping, Sequence

from lsmtune.analysis._anova import Anova, anova
from lsmtune.analysis._encoding import Derive, columns_of, varying
from lsmtune.analysis._explain import Explainer, Task
from lsmtune.analysis._false_alarms import pairs_of_each, shadow_rate
from lsmtune.analysis._findings import Analysis, AnalysisPlan
from lsmtune.analysis._joint import AnovaPlan, Outcome
from lsmtune.analysis._response import Response, response
from lsmtune.analysis._runs import Runs
from lsmtune.analysis._steps import Steps, Tell
from lsmtune.analysis._stopped import stopped_levels
from lsmtune.analysis._threads import without_threads
from lsmtune.errors import LsmtuneError, StatisticsError, UsageError
from lsmtune.extras import EXTRAS, need
from lsmtune.model import Purpose

_KINDS = (
    ("waf",),
    ("space_bytes",),
    ("throughput_settled_ops_s", "throughput_ops_s"),
    ("total_time_s", "load_time_s"),
    ("latency_p99_s",),
    ("trial_score", "trial_loss"),
)
_MOST_KINDS = 4


def default_indicators(runs: Runs) -> tuple[str, ...]:
    """Return what to analyse when nobody says: the paper's kinds (Jin et al. 2022), WAF, SA, RATE and TIME.

    Of rate and time the reading after settling, where there is one; p99 latency where one of the four is missing; what
    a command of the user's own reports.
    A run that was stopped has none of them, so if all were, those that the table has a column for are returned.

    Raises:
        StatisticsError: there is none of them.
    """
    columns = tuple(name.removeprefix("indicator.") for name in runs.frame.columns if name.startswith("indicator."))
    for there in (runs.indicators, columns):
        first = [next((name for name in kind if name in there), None) for kind in _KINDS]
        names = tuple(name for name in first if name is not None)[:_MOST_KINDS]
        if names:
            return names
    wanted = ", ".join(name for kind in _KINDS for name in kind)
    known = ", ".join(runs.indicators) or "none at all"
    raise StatisticsError(f"no run has an indicator that is analysed unasked ({wanted}); name one of {known}")


def analyse(
    runs: Runs,
    indicators: Sequence[str] = (),
    *,
    seed: int = 0,
    derive: Derive | None = None,
    plan: AnalysisPlan | None = None,
    tell: Tell = lambda _what, _done: None,
) -> Analysis:
    """Explain indicators by the options and axes of the workload that varied over some runs.

    Points of designs and trials are learned from, test points judge, the reference takes out the drift. Each estimator
    is described with its source where it is defined; ``docs/explanation/statistics.md`` says when not to trust which.

    Args:
        runs: of a study.
        indicators: names; none takes `default_indicators`.
        seed: of all randomness.
        derive: features from knowledge of the engine.
        plan: how much to compute.
        tell: see `Tell`.

    Returns:
        What could be computed. Whatever could not has a sentence in `IndicatorAnalysis.missing`, or in
        `Analysis.missing` where it is a whole indicator.

    Raises:
        StatisticsError: nothing at all can be said.
        UsageError: no run has any of the named indicators.
    """
    need("an analysis", *EXTRAS["analysis"])
    names = tuple(dict.fromkeys(indicators)) or default_indicators(runs)
    with without_threads():
        return _analysed(runs, names, seed, derive, plan or AnalysisPlan(), tell)


def _analysed(
    runs: Runs, names: Sequence[str], seed: int, derive: Derive | None, plan: AnalysisPlan, tell: Tell
) -> Analysis:
    answers, failed = _answers(runs, names)
    pairs, steps = pairs_of_each(plan.shadows, len(answers)), Steps(tell, len(answers))
    explainers = {
        name: Explainer(Task(runs, answer, plan, seed, derive, steps, place, pairs))
        for place, (name, answer) in enumerate(answers.items())
    }
    if explainers:
        _check_varied(runs)
    outcomes = [outcome for explainer in explainers.values() if (outcome := explainer.model()) is not None]
    steps.begin("analysis of variance")
    tables, reasons = _tables(outcomes, plan, seed)
    tested = [outcome for outcome in outcomes if outcome.indicator in tables]
    rate = shadow_rate(tuple(tables.values()), tested, AnovaPlan(seed=seed), pairs)
    every = [explainer.finish(tables.get(name), reasons.get(name, "")) for name, explainer in explainers.items()]
    found = tuple(one for one in every if one.answered)
    failed |= {one.indicator: StatisticsError(one.missing[0]) for one in every if not one.answered}
    if not found:
        raise _worst(failed)
    return Analysis(
        facts=runs.facts.words(),
        runs=len(runs),
        factors=runs.factors,
        indicators=found,
        shadow_rate=rate,
        stopped=stopped_levels(runs),
        missing=tuple(str(failed[name]) for name in names if name in failed),
    )


def _answers(runs: Runs, names: Sequence[str]) -> tuple[dict[str, Response], dict[str, LsmtuneError]]:
    """Return the response of each indicator, and for the others why there is none."""
    answers: dict[str, Response] = {}
    failed: dict[str, LsmtuneError] = {}
    for name in names:
        try:
            answers[name] = response(runs, name)
        except (StatisticsError, UsageError) as error:
            failed[name] = error
    return answers, failed


def _check_varied(runs: Runs) -> None:
    learned = runs.of(Purpose.SAMPLE, Purpose.TRIAL)
    if not varying(runs.factors, columns_of(learned)):
        raise StatisticsError(
            f"none of the {len(runs.factors)} factors varied over the {len(learned)} runs to learn from; "
            "sample a wider space"
        )


def _tables(
    outcomes: Sequence[Outcome], plan: AnalysisPlan, seed: int
) -> tuple[Mapping[str, Anova], Mapping[str, str]]:
    """Return the analysis of variance of each indicator, and for the others why there is none."""
    if not outcomes:
        return {}, {}
    try:
        tables = anova(outcomes, AnovaPlan(top_interactions=plan.interactions, draws=plan.draws, seed=seed))
    except StatisticsError as error:
        return {}, {outcome.indicator: str(error) for outcome in outcomes}
    made = {table.indicator: table for table in tables if table.tests}
    return made, {table.indicator: table.warnings[-1] for table in tables if not table.tests}


def _worst(failed: Mapping[str, LsmtuneError]) -> LsmtuneError:
    """Return the error that says why nothing can be said: the first, of wrong numbers before wrong names."""
    errors = list(failed.values())
    return next((error for error in errors if isinstance(error, StatisticsError)), errors[0])
