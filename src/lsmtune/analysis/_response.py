"""The response of runs: an indicator against the reference on the log scale, with bounds for runs that were stopped."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy  # its parts load when they are used

from lsmtune.analysis._encoding import BoolArray, Columns, Derive, Encoder, FloatArray, columns_of, varying
from lsmtune.analysis._runs import Runs, require
from lsmtune.errors import EngineError, StatisticsError, UsageError
from lsmtune.experiment import Experiment
from lsmtune.indicators import OF_ALL_WORK
from lsmtune.model import FRESH, Purpose, Status
from lsmtune.space import WORKLOAD_PREFIX, Factor, catalogue
from lsmtune.stats import fit_anchors

LEAST_RUNS = 20
"""Fewer runs with a known response are refused."""

_REFERENCES = (Purpose.BASELINE, Purpose.ANCHOR)
_TIMES = ("load_time_s", "total_time_s", "elapsed_s")
_RATES = ("throughput_ops_s", "throughput_bytes_s", "throughput_settled_ops_s")
_OF_THE_LOAD = ("load_time_s", "throughput_ops_s", "throughput_bytes_s")
"""A run that is stopped while it settles still gives these, below the time that all of its processes took."""
_THREADS = f"{WORKLOAD_PREFIX}threads"
_SIZES = ("key_size_bytes", "value_size_bytes")
"""Fields of a workload that make up a pair."""
_LEAST_TO_COMPLETE = 10
_LEAST_REPEATED = 5
_TREES = 50
_WHOLE = 0.999  # of the operations of a phase, at least, where it ended: logarithms round them
_SETTLED = 0.01
"""Completed values that move less than this, 1 %, on average between two rounds have converged."""


@dataclass(frozen=True)
class Response:
    """What a model explains, for each run; made by `response`.

    Attributes:
        indicator: its name.
        log_ratio: natural logarithm of indicator / level of the reference at that place of the run order (of the
            indicator alone where no reference was run), shape (n,), nan where not known.
        log_bound: for a run that was stopped, a bound of its log ratio, shape (n,), nan elsewhere.
        sign: 1: the log ratio is at least the bound; -1: at most; 0: stopped runs say nothing about the indicator.
        groups: number of the effective configuration, shape (n,); runs of one group stay together in a fold.
        warnings: sentences on what was assumed and left out.

    Raises:
        StatisticsError: the lengths differ.
    """

    indicator: str
    log_ratio: FloatArray
    log_bound: FloatArray
    sign: int
    groups: npt.NDArray[np.int64]
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        lengths = {len(self.log_ratio), len(self.log_bound), len(self.groups)}
        if len(lengths) > 1:
            raise StatisticsError(
                f"the parts of a response have the lengths {sorted(lengths)}; give one row for each run"
            )

    def __len__(self) -> int:
        return len(self.log_ratio)

    @property
    def known(self) -> BoolArray:
        """Where the log ratio is known, shape (n,)."""
        return np.isfinite(self.log_ratio)

    @property
    def bounded(self) -> BoolArray:
        """Where only a bound is known, shape (n,)."""
        return np.isfinite(self.log_bound) & ~self.known

    def noise(self) -> float | None:
        """Return the standard deviation of runs of one configuration; None where fewer than 5 were known repeatedly."""
        values, groups = self.log_ratio[self.known], self.groups[self.known]
        repeated = [values[groups == group] for group in np.unique(groups) if (groups == group).sum() > 1]
        if len(repeated) < _LEAST_REPEATED:
            return None
        return float(np.sqrt(np.mean([repeats.var(ddof=1) for repeats in repeated])))

    def where(self, rows: BoolArray | npt.NDArray[np.intp]) -> "Response":
        """Return some rows: those for which a mask of shape (n,) is true, or those of the given numbers."""
        parts = {name: getattr(self, name)[rows] for name in ("log_ratio", "log_bound", "groups")}
        return replace(self, **parts)


def response(runs: Runs, indicator: str) -> Response:
    """Return the response of all runs, for a model to explain.

    The level of the reference follows its runs through the study (see `lsmtune.stats.fit_anchors`), so a machine that
    slows down does not look like an effect. Runs that failed are not known, nor those that
    were disturbed and do not count. A run that was stopped
    gives a lower bound of a time, and, as its work is known, an upper bound of a rate: where the time is that of all
    that ran until then, and the work is a number of operations.

    Args:
        runs: of a study.
        indicator: its name.

    Raises:
        UsageError: no run has the indicator.
        StatisticsError: all runs were stopped, fewer than 20 are known, or the indicator is constant or never positive.
    """
    design = ~_of(runs, _REFERENCES)
    stopped = runs.ended(Status.CENSORED)
    warnings: list[str] = []
    if (
        f"indicator.{indicator}" in runs.frame
        and (design & stopped).any()
        and not (design & runs.counting(indicator)).any()
    ):
        raise StatisticsError(
            f'all {np.count_nonzero(design & stopped)} runs were censored, so "{indicator}" is known of '
            "none; raise the cap"
        )
    values = _values(runs, indicator, warnings)
    _check_design(runs, indicator, values, design)
    logs = _logs(indicator, values, warnings)
    level = _reference_level(runs, logs, warnings)
    if level is None:
        warnings.append(
            "no finished run of the reference: absolute values are explained, with any drift of the machine"
        )
        level = np.zeros(len(runs))
    sign, log_limit = _limits(runs, indicator, stopped, warnings)
    _tell_unvaried(runs.where(design), warnings)
    return Response(indicator, logs - level, log_limit - level, sign, _groups(runs), tuple(warnings))


def log_ratios(runs: Runs, indicator: str) -> FloatArray:
    """Return the log ratios to the reference of all runs, however few or alike they are, shape (n,).

    As `Response.log_ratio`, nan where a value is not known, and everywhere where no run of the reference is.

    Args:
        runs: of a study.
        indicator: its name.

    Raises:
        UsageError: no run has the indicator.
    """
    unread: list[str] = []
    values = _values(runs, indicator, unread)
    if not (values > 0).any():
        return np.full(len(runs), np.nan)
    logs = _logs(indicator, values, unread)
    level = _reference_level(runs, logs, unread)
    return np.full(len(runs), np.nan) if level is None else logs - level


def complete(
    answer: Response, factors: Sequence[Factor], columns: Columns, *, seed: int, derive: Derive | None = None
) -> FloatArray:
    """Return the log ratios with an estimate for each bounded run, shape (n,).

    The iterated imputation of Schmee and Hahn 1979 (Technometrics 21) with trees, as in Hutter, Hoos, Leyton-Brown
    2011 ("Bayesian optimization with censored response data"): a forest is fitted to what is known; each bounded value
    becomes the mean of the normal distribution that the trees predict for it, truncated at its bound; the forest is
    fitted again with these, until they settle or five times. Other than there, only trees that did not see a run
    predict it, or a guess would confirm itself. Trees do not extrapolate, so the estimates stay too near to the bounds:
    in four simulations with a sixth to a third of the runs stopped, they closed 17 to 40 % of the gap to the truth.

    Args:
        answer: log ratios and bounds of n runs.
        factors: what explains them.
        columns: values of the factors, each of shape (n,).
        seed: of the forests.
        derive: gives further features.

    Returns:
        The known log ratios as they are, the completed ones never beyond their bounds; nan where neither is known.

    Raises:
        StatisticsError: there is something to complete, but fewer than 10 runs are known.
    """
    bounded = answer.bounded
    if not bounded.any():
        return answer.log_ratio.copy()
    known = np.count_nonzero(answer.known)
    if known < _LEAST_TO_COMPLETE:
        raise StatisticsError(
            f'"{answer.indicator}" is known of {known} runs and bounded for {np.count_nonzero(bounded)}; estimating '
            f"those needs at least {_LEAST_TO_COMPLETE} known ones, so raise the cap or sample more"
        )
    rows = answer.known | bounded
    part = {name: values[rows] for name, values in columns.items()}
    matrix = Encoder.fit(factors, part, derive).encode(part)
    completed = np.where(bounded, answer.log_bound, answer.log_ratio)
    completed[rows] = answer.sign * _imputed(matrix, answer.sign * completed[rows], bounded[rows], seed)
    return completed


def _imputed(matrix: FloatArray, values: FloatArray, late: BoolArray, seed: int) -> FloatArray:
    """Replace the values of `late` rows, which are lower bounds, by estimates of what they bound."""
    from sklearn.ensemble import ExtraTreesRegressor

    target, bounds, seen = values.copy(), values[late], ~late
    for _ in range(5):
        forest = ExtraTreesRegressor(_TREES, min_samples_leaf=2, bootstrap=True, random_state=seed)
        forest.fit(matrix[seen], target[seen])
        mean, spread = _unseen_predictions(forest, matrix, seen, late)
        start = np.maximum(target[late], bounds)
        target[late] = _mean_above(bounds, mean, spread)
        if seen.all() and np.abs(target[late] - start).mean() < _SETTLED:
            break
        seen = np.ones_like(late)
    return target


def _unseen_predictions(
    forest: Any, matrix: FloatArray, seen: BoolArray, late: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Return mean and spread of the predictions for each late row by the trees that were grown without it.

    The forest was fitted to the rows of `matrix` that it has `seen`.
    """
    small, rows, asked = matrix[late].astype(np.float32), np.flatnonzero(seen), np.flatnonzero(late)
    each = np.array([tree.tree_.predict(small)[:, 0] for tree in forest.estimators_])
    for predictions, drawn in zip(each, forest.estimators_samples_, strict=True):
        predictions[np.isin(asked, rows[drawn])] = np.nan
    return np.nanmean(each, axis=0), np.nanstd(each, axis=0) + 1e-9


def _mean_above(bound: FloatArray, mean: FloatArray, spread: FloatArray) -> FloatArray:
    """Return the mean of normal distributions truncated to what is above `bound`."""
    shift = (bound - mean) / spread
    hazard: FloatArray = np.sqrt(2 / np.pi) / scipy.special.erfcx(np.maximum(shift, -30) / np.sqrt(2))
    return np.maximum(mean + spread * hazard, bound)


def _of(runs: Runs, purposes: Sequence[Purpose]) -> BoolArray:
    return runs.frame["purpose"].isin([str(purpose) for purpose in purposes]).to_numpy(dtype=bool)


def _values(runs: Runs, indicator: str, warnings: list[str]) -> FloatArray:
    """Return the indicator of runs that count, nan where it is not known."""
    values = np.where(runs.counting(indicator), runs.indicator(indicator), np.nan)
    below = values < 0
    if below.any():
        warnings.append(f'"{indicator}" is below 0 in {_runs_text(below)}, which counts as not known')
        values[below] = np.nan
    return values


def _check_design(runs: Runs, indicator: str, values: FloatArray, design: BoolArray) -> None:
    known = design & np.isfinite(values)
    require(runs.where(known), LEAST_RUNS, f'explaining "{indicator}"')
    seen = values[known]
    if not (seen > 0).any():
        raise StatisticsError(
            f'"{indicator}" is never above 0 in {seen.size} runs, so it has no logarithm; take another indicator'
        )
    if np.ptp(seen) <= 1e-12 * seen.max():
        raise StatisticsError(
            f'"{indicator}" is {seen[0]:g} in all {seen.size} runs, so there is nothing to explain; take another one'
        )


def _logs(indicator: str, values: FloatArray, warnings: list[str]) -> FloatArray:
    shift = 0.0
    zero = values == 0
    if zero.any():
        shift = float(values[values > 0].min())
        warnings.append(
            f'"{indicator}" is 0 in {_runs_text(zero)}; its smallest value above 0, {shift:g}, is added before taking '
            "logarithms, so ratios of small values look smaller than they are"
        )
    return np.log(values + shift)


def _reference_level(runs: Runs, logs: FloatArray, warnings: list[str]) -> FloatArray | None:
    """Return the log level of the reference at each run, on its own host; None where none of its runs is known."""
    arms = runs.frame["arm"].to_numpy()
    anchors, baselines = _of(runs, (Purpose.ANCHOR,)), _of(runs, (Purpose.BASELINE,))
    names = set(arms[anchors]) or {runs.facts.reference}  # beside which other starting points have baselines, too
    usable = (anchors | baselines) & np.isin(arms, list(names)) & np.isfinite(logs)
    if len(names) != 1 or not usable.any():
        return None
    order, hosts = runs.frame["order"].to_numpy(dtype=np.float64), _hosts(runs)
    found = np.full(len(runs), np.nan)
    for host in dict.fromkeys(hosts.tolist()):
        here = hosts == host
        own = usable & here
        if not own.any():
            warnings.append(f"no run of the reference on {host}: {_runs_text(here)} there are left out")
            continue
        level = fit_anchors(order[own].tolist(), np.exp(logs[own]).tolist())
        found[here] = [level.log_reference_at(place) for place in order[here].tolist()]
    return found


def _hosts(runs: Runs) -> npt.NDArray[np.object_]:
    """Return the host of each run; one for all where not more than one made single runs."""
    hosts, purposes = runs.frame["host"].to_numpy(dtype=object), runs.frame["purpose"].to_numpy()
    single = ~np.isin(purposes, [str(purpose) for purpose in FRESH])
    named = set(hosts[single].tolist()) - {""}
    return hosts if len(named) > 1 else np.full(len(runs), "", dtype=object)


def _limits(runs: Runs, indicator: str, stopped: BoolArray, warnings: list[str]) -> tuple[int, FloatArray]:
    """Return the sign of the bounds and the log bounds of the indicator itself, nan where there is none."""
    limit = np.full(len(runs), np.nan)
    bound_s = runs.frame["bound_s"].to_numpy(dtype=np.float64)
    if indicator != "elapsed_s":
        bound_s = bound_s - _beside_s(runs)
    late, asked = stopped & (bound_s > 0), _asked(runs)
    work = _log_work(runs, indicator, asked) if indicator in _RATES else None
    sign = 1 if indicator in _TIMES else -1 if work is not None else 0
    if sign and _is_bounded(indicator, asked):
        np.log(bound_s, where=late, out=limit)
        limit = limit if work is None else work - limit
    if sign and indicator in _OF_THE_LOAD:
        given = runs.indicator(indicator) * (_at_most(runs, asked) if indicator in _RATES else 1.0)
        limit[late & (given > 0)] = np.log(given[late & (given > 0)])
    told = np.isfinite(limit)
    if told.any():
        side = "at least" if sign > 0 else "at most"
        warnings.append(f'{_runs_text(told)} censored: "{indicator}" is {side} a bound there, and estimated')
    if (stopped & ~told).any():
        warnings.append(f'{_runs_text(stopped & ~told)} censored: "{indicator}" is not known there and left out')
    return sign, limit


def _asked(runs: Runs) -> Experiment | None:
    """Return what the experiment asked for; None of a command of the user's own."""
    try:
        asked = runs.facts.asked
        asked.workload()
    except (EngineError, UsageError, ValueError):  # also of a tool that is not there any more
        return None
    return asked


def _is_bounded(indicator: str, asked: Experiment | None) -> bool:
    """Whether the time after which a run was stopped bounds an indicator that the run itself did not give.

    It is the time of a phase only where that phase comes first, and it tells a rate only where the phases have a number
    of operations.
    """
    if asked is None or indicator == "elapsed_s":
        return True
    workload, counts = asked.workload(), asked.backend.vocabulary.counts_in_total
    if indicator in _RATES and workload.duration_s is not None:
        return False
    if indicator in OF_ALL_WORK:
        return all(map(counts, workload.benchmarks))
    first = workload.benchmarks[0]
    return counts(first) if indicator == "load_time_s" else first == workload.measure


def _at_most(runs: Runs, asked: Experiment | None) -> FloatArray:
    """Return by what factor rates that runs gave can be larger over all of their phase, shape (n,): 1 where it ended.

    A phase of YCSB that was cut short tells its rate until then, which may still rise: all of its operations take at
    least the time of those that were done.
    """
    factor, told = np.ones(len(runs)), {"operations", "throughput_ops_s"} <= set(runs.indicators)
    if not told or (asked is not None and asked.workload().duration_s is not None):
        return factor
    work, done = _log_work(runs, "throughput_ops_s", asked), runs.indicator("operations")
    if work is not None:
        cut = (done > 0) & (done < _WHOLE * np.exp(work))
        np.divide(np.exp(work), done, out=factor, where=cut)
    return factor


def _beside_s(runs: Runs) -> float:
    """Return what a run takes beside ``total_time_s`` in s, such as db_bench's sleep before it waits for compactions.

    The bound of a run that was stopped counts all of its processes.
    """
    if "total_time_s" not in runs.indicators:
        return 0.0
    beside = runs.frame["elapsed_s"].to_numpy(dtype=np.float64) - runs.indicator("total_time_s")
    known = beside[runs.counting() & np.isfinite(beside)]
    return max(0.0, float(np.median(known))) if known.size else 0.0


def _log_work(runs: Runs, indicator: str, asked: Experiment | None) -> FloatArray | None:
    """Return the log of what each run has to do, in the unit of the rate times s; None where no run tells."""
    rate, frame = runs.indicator(indicator), runs.frame
    if indicator == "throughput_settled_ops_s":
        spent_s = frame.get("indicator.total_time_s")
    elif {"indicator.operations", "indicator.throughput_ops_s"} <= set(frame.columns):
        spent_s = frame["indicator.operations"] / frame["indicator.throughput_ops_s"]
    else:
        spent_s = frame.get("indicator.load_time_s")
    if spent_s is None:
        return None
    shares = _shares_of_work(runs, indicator, asked)
    work = np.where(runs.counting(), rate * spent_s.to_numpy(dtype=np.float64) / shares, np.nan)
    told = work[np.isfinite(work) & (work > 0)]
    return np.log(np.median(told) * shares) if told.size else None


def _shares_of_work(runs: Runs, indicator: str, asked: Experiment | None) -> FloatArray:
    """Return what the work of each run is in proportion to: threads that add work, and for bytes the size of pairs."""
    shares = np.ones(len(runs))
    if _THREADS in runs.by_name and (asked is None or asked.backend.vocabulary.threads_add_work):
        shares *= runs.values(_THREADS).astype(np.float64)
    names = {field: f"{WORKLOAD_PREFIX}{field}" for field in _SIZES}
    if indicator == "throughput_bytes_s" and asked is not None and not runs.by_name.keys().isdisjoint(names.values()):
        workload, pair_bytes = asked.workload(), np.zeros(len(runs))
        for field, name in names.items():
            varied = name in runs.by_name
            pair_bytes += runs.values(name).astype(np.float64) if varied else float(getattr(workload, field))
        shares *= pair_bytes
    return shares


def _groups(runs: Runs) -> npt.NDArray[np.int64]:
    """Number the effective configurations.

    A run that was stopped may not tell its own; that of another run with the same values stands in for it, and where
    there is none, the values asked for. What no engine tells belongs to it as it was asked for: the workload, the
    variant, and the options that older studies did not keep with the others.
    """
    columns = [factor.column for factor in runs.factors]
    asked = runs.frame.groupby(columns, sort=False, dropna=False).ngroup()
    told = runs.frame["effective"].astype(object)
    told = told.where(told != "").groupby(asked).transform("first")
    key = ("asked " + asked.astype(str)).where(told.isna(), "is " + told.astype(str))
    unwritten = {option.name for option in catalogue().options.values() if option.key is None}
    untold = {name for name in runs.by_name if "." in name} | unwritten | {"db_write_buffer_size"}
    columns = [factor.column for factor in runs.factors if factor.name in untold]
    parts = key.to_frame("key").join(runs.frame[columns])
    return np.asarray(parts.groupby(list(parts.columns), sort=False, dropna=False).ngroup(), dtype=np.int64)


def _tell_unvaried(design: Runs, warnings: list[str]) -> None:
    varied = varying(design.factors, columns_of(design))
    fixed = [factor.name for factor in design.factors if factor not in varied]
    if fixed:
        warnings.append(f"never varied where it has an effect, so no effect can be computed: {', '.join(fixed)}")


def _runs_text(mask: BoolArray) -> str:
    return f"{np.count_nonzero(mask)} of {mask.size} runs"
