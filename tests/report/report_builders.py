"""Builders of tuning results for the tests of reports; claims go through the real statistics."""

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType

from lsmtune import lint
from lsmtune.indicators import Guard, Limit, Objective, oriented_log_ratio
from lsmtune.model import Configuration, EngineBuild, HostFacts, Purpose, Run, Status, StudyKind, Value
from lsmtune.result import (
    AtScale,
    Change,
    Climb,
    Climbing,
    ClimbStep,
    Comparison,
    Decisions,
    DetectableGains,
    EliminationTest,
    Evidence,
    LimitSeen,
    Ranked,
    Repetition,
    Rules,
    Standing,
    StepResult,
    StepTaken,
    Troubles,
    TuneResult,
)
from lsmtune.stats import (
    LOOKS,
    POCOCK_ALPHA,
    Claim,
    ClaimResult,
    Detectable,
    Spread,
    compare_log_ratios,
    compare_pairs,
    decide,
    geometric_mean,
    many_to_one,
    noise_floor,
    non_inferior,
    stability,
    within,
)
from lsmtune.store import StoredRun, StudyDescription, StudySummary

UNITS = {"write_buffer_size": "B", "max_background_jobs": "threads", "bloom_bits": "bits/key"}
START: dict[str, Value] = {}
FINAL: dict[str, Value] = {"write_buffer_size": 256 << 20, "compression_type": "lz4", "max_background_jobs": 4}
BEFORE: dict[str, Value] = {"write_buffer_size": 64 << 20, "compression_type": "snappy", "max_background_jobs": 2}
RATE, WAF, SPACE, P99 = "throughput_settled_ops_s", "waf", "space_bytes", "latency_p99_s"

BUILD = EngineBuild("rocksdb", "7.8.3", Path("/usr/bin/db_bench"), "0123456789abcdef", True, ("snappy", "lz4"), ())
HOST = HostFacts("bench-1", "fedcba9876543210", "Some CPU @ 2 GHz", 2, 8 << 30, "6.1.0", "ext4", 80 << 30)
RULES = Rules(
    objective=Objective({RATE: 1.0}),
    guards=(Guard(SPACE, 1.10),),
    limits=(Limit(P99, "<=", 0.005),),
    reference="db_bench",
    baselines={"db_bench": Configuration.of(START), "rocksdb": Configuration.of({"bloom_bits": 10})},
    minimum_effect=0.03,
    finalists=3,
)
FACTS: dict[str, Any] = {
    "scale": "1/64",
    "workload": {
        "benchmarks": ["fillrandom"],
        "load": [],
        "keys": 1_000_000,
        "key_size_bytes": 16,
        "value_size_bytes": 1024,
        "threads": 1,
        "settle": "wait",
    },
}
REFERENCE_LEVELS = {RATE: 125_000.0, SPACE: float(900 << 20), P99: 0.0021, WAF: 6.4, "memory_peak_bytes": 2.0e8}


def scatter(center: float, spread: float, n: int) -> list[float]:
    """Return n log ratios around `center` that are spread evenly, in a mixed order."""
    steps = [((7 * place) % n) / max(n - 1, 1) * 2 - 1 for place in range(n)]
    return [math.log(center) + spread * step for step in steps]


def comparison(
    center: float,
    spread: float,
    n: int,
    *,
    arm: str = "finalist-1",
    rules: Rules = RULES,
    others: Mapping[str, float] | None = None,
) -> Comparison:
    """Compare a candidate whose objective is `center` times that of the reference, judged look by look.

    `others` gives the ratio of every other indicator to its reference; those left out stay at 1.
    """
    planned = scatter(center, spread, n)
    claim = _claim(arm, planned, rules.minimum_effect)
    n, gains = claim.n, planned[: claim.n]
    (name,) = rules.objective.weights
    values: dict[str, tuple[list[float], list[float]]] = {}
    ratios = {name: center, SPACE: 0.97, P99: 0.9, WAF: 0.8, "memory_peak_bytes": 2.2, **(others or {})}
    for place, (indicator, ratio) in enumerate(ratios.items()):
        base = [REFERENCE_LEVELS[indicator] * math.exp(step) for step in scatter(1.0, 0.01 + 0.01 * place, n)]
        logs = gains if indicator == name else scatter(ratio, 0.02, n)
        values[indicator] = (base, [level * math.exp(log) for level, log in zip(base, logs, strict=True)])
    return Comparison(
        arm=arm,
        claim=claim,
        indicators={key: compare_pairs(new, base, POCOCK_ALPHA) for key, (base, new) in values.items()},
        levels={key: (geometric_mean(base), geometric_mean(new)) for key, (base, new) in values.items()},
        guards={guard.indicator: non_inferior(_gains(guard, values), guard.at_most_worse) for guard in rules.guards},
        limits=tuple(
            LimitSeen(limit, within(values[limit.indicator][1], limit.relation, limit.value)) for limit in rules.limits
        ),
        gains=tuple(gains),
        stability=stability([-gain for gain in gains], scatter(1.0, spread / 2, n)),
    )


def detectable(looks: int = 0, runs: int = 13, pairs: int = 2) -> DetectableGains:
    """Return what pairs can show, from the reference's runs and another starting point unless looks were made."""
    spread = Spread(0.035, 9.5)
    return DetectableGains({number: Detectable.of(spread, number) for number in LOOKS}, spread, looks, runs, pairs)


def result(*verified: Comparison, done: bool = True, rules: Rules = RULES, **changed: Any) -> TuneResult:
    """Put a result together from verified finalists; the first that is better wins."""
    shown = (each.arm for each in verified if each.standing is not Standing.REFUSED)
    winner = next(shown, "" if verified else None)
    arms = tuple(f"trial-{30 + place}" for place, _ in enumerate(verified))
    base = TuneResult(
        description=StudyDescription(
            "fill", 'name = "fill"\n', BUILD, HOST, {"rules": rules.to_json(), **FACTS}, 1e9, "0.1.0"
        ),
        summary=StudySummary(COUNTS, 1e9, 1e9 + 1800, 1512.4),
        rules=rules,
        decisions=Decisions(trials=40, finalists=arms, verify_looks=1, winner=winner, done=done),
        noise={name: noise_floor([level * step for step in (0.98, 1.0, 1.03)]) for name, level in NOISY.items()},
        detectable=detectable(),
        baselines={"rocksdb": compare_log_ratios([-0.06, -0.02], 0.05)},
        leaders=(ranked(12, 0.19, FINAL), ranked(31, 0.12, {"bloom_bits": 10}), ranked(7, -0.01, {}, violation=0.2)),
        steps=(),
        verified=verified,
        candidates={},
        repetition=None,
        final=Configuration.of(FINAL if winner else START),
        changes=CHANGES if winner else (),
        tests=TESTS if winner else (),
        warnings=(
            lint.RULES["assertion-build"].says("db_bench 7.8.3 checks assertions; repeat on an optimised build"),
        ),
    )
    return replace(base, **changed)


def improved(**changed: Any) -> TuneResult:
    """A study that found and confirmed something better."""
    final = comparison(1.2, 0.2, 12, arm="pruned")
    verified = (comparison(1.15, 0.15, 12), comparison(1.03, 0.03, 6, arm="finalist-2"))
    again = comparison(1.14, 0.1, 12, arm="winner")
    retained = replace(_claim("pruned", scatter(1.05, 0.02, 6), 0.03), gain=1.01, low=0.99, high=1.03)
    repetition = Repetition(again, final, retained, 1.035)
    return result(*verified, repetition=repetition, **changed)


def ranked(
    number: int,
    log_gain: float | None,
    values: Mapping[str, Value],
    *,
    violation: float = 0.0,
    status: Status = Status.OK,
    reason: str = "",
) -> Ranked:
    """A trial of the search."""
    stored = stored_run(number, Purpose.TRIAL, f"trial-{number}", values=values, status=status, reason=reason)
    return Ranked(stored, log_gain, violation)


def stored_run(
    number: int,
    purpose: Purpose,
    arm: str,
    *,
    block: int | None = None,
    values: Mapping[str, Value] | None = None,
    status: Status = Status.OK,
    reason: str = "",
) -> StoredRun:
    """A run that ended after 6.9 s."""
    run = Run(number, purpose, arm, block, Configuration.of(values or {}), 11, 7)
    return StoredRun(run, status, 1e9, 6.9, reason, None, None)


def _claim(arm: str, gains: Sequence[float], minimum_effect: float) -> ClaimResult:
    results: tuple[ClaimResult, ...] = ()
    for look, pairs in enumerate(LOOKS):
        if pairs > len(gains) and look:
            break
        results = decide([Claim(arm, tuple(gains[:pairs]))], look, minimum_effect, results)
    return results[0]


def _gains(guard: Guard, values: Mapping[str, tuple[list[float], list[float]]]) -> list[float]:
    pairs = zip(*values[guard.indicator], strict=True)
    gains = [oriented_log_ratio(guard.indicator, new, base) for base, new in pairs]
    return [gain for gain in gains if gain is not None]


def _evidence(number: int, removed: tuple[str, ...], effect: float, *, accepted: bool) -> Evidence:
    return Evidence(EliminationTest(number, removed, accepted), many_to_one(scatter(effect, 0.04, 8), [[0.0] * 8])[0])


NOISY = {RATE: 125_000.0, SPACE: float(900 << 20), P99: 0.0021}
COUNTS = {
    (Purpose.BASELINE, Status.OK): 7,
    (Purpose.TRIAL, Status.OK): 37,
    (Purpose.TRIAL, Status.FAILED): 1,
    (Purpose.TRIAL, Status.CENSORED): 2,
    (Purpose.ANCHOR, Status.OK): 10,
    (Purpose.VERIFY, Status.OK): 36,
}
TESTS = (
    _evidence(1, ("bloom_bits", "block_size"), 1.004, accepted=True),
    _evidence(2, ("write_buffer_size",), 1.09, accepted=False),
)
CHANGES = tuple(
    Change(name, BEFORE[name], value, TESTS[1] if name == "write_buffer_size" else None)
    for name, value in FINAL.items()
)


def _step(number: int, name: str, values: dict[str, Value], because: str, found: Comparison | None) -> StepResult:
    kept = found is not None and found.accepted
    return StepResult(StepTaken(number, name, because, values, 1 if found else 0, kept), found)


def by_steps() -> TuneResult:
    """A study of three steps: one that was kept, one that was not, one that was left out."""
    steps = (
        _step(1, "larger buffer", {"write_buffer_size": 256 << 20}, "fewer flushes", comparison(1.15, 0.03, 6)),
        _step(2, "more bits", {"bloom_bits": 10}, "", comparison(1.0, 0.01, 6)),
        _step(3, "as it is", {"block_size": 4096}, "", None),
    )
    decisions = Decisions(
        plan=StudyKind.STEPS,
        steps=tuple(each.step for each in steps),
        finalists=("larger buffer",),
        verify_looks=1,
        winner="finalist-1",
        done=True,
    )
    changes = (Change("write_buffer_size", 64 << 20, 256 << 20, None),)
    return result(comparison(1.16, 0.03, 6), steps=steps, decisions=decisions, changes=changes, tests=(), leaders=())


def compared() -> TuneResult:
    """A comparison of two configurations that the user named."""
    verified = (comparison(1.0, 0.01, 6), comparison(1.2, 0.03, 6, arm="finalist-2"))
    decisions = Decisions(
        plan=StudyKind.COMPARE, finalists=("small blocks", "ours"), verify_looks=1, winner="finalist-2", done=True
    )
    values: dict[str, dict[str, Value]] = {"finalist-1": {"block_size": 2048}, "finalist-2": FINAL}
    candidates = {arm: Configuration.of({**START, **each}) for arm, each in values.items()}
    return result(*verified, decisions=decisions, candidates=candidates, tests=(), leaders=())


def named(*verified: Comparison, done: bool = True) -> TuneResult:
    """A comparison of up to two configurations that the user named."""
    winner = next((each.arm for each in verified if each.accepted), "")
    names = ("large buffers", "small blocks")[: len(verified)]
    decisions = Decisions(plan=StudyKind.COMPARE, finalists=names, verify_looks=1, winner=winner, done=done)
    candidates = {each.arm: Configuration.of(START) for each in verified}
    return result(*verified, decisions=decisions, candidates=candidates, leaders=(), tests=())


_SHAKY = stability([0.0, 0.3, -0.3, 0.2, -0.25, 0.1], [0.0, 0.01, -0.01, 0.02, 0.0, -0.02])


def climbed(ratio: float) -> TuneResult:
    """A winner at 1/64 that has so many times the reference's rate at 1/16."""
    climbing = Climbing(Fraction(1, 64), (Fraction(1, 16), Fraction(1, 4)), 0.3)
    step = ClimbStep("finalist-1", "1/16", 1, 41.0, 12.0, 12)
    seen = AtScale(step, Fraction(1, 16), comparison(ratio, 0.03, 6))
    return result(comparison(1.2, 0.03, 6), climb=Climb(climbing, ("finalist-1",), (seen,)))


def _lost_larger() -> TuneResult:
    """A winner at 1/64 that is worse at 1/16."""
    won = climbed(0.8)
    lost = replace(won, final=won.rules.start, changes=())
    return replace(lost, decisions=replace(won.decisions, winner=""))


STATES: Mapping[str, TuneResult] = {
    "improved": improved(),
    "running": result(comparison(1.2, 0.03, 6), done=False),
    "guard_undecided": result(comparison(1.2, 0.03, 6, others={SPACE: 1.1})),
    "unstable": result(replace(comparison(1.2, 0.03, 6), stability=_SHAKY)),
    "failed_runs": result(
        replace(comparison(1.2, 0.03, 6), troubles=Troubles(failures=("Segmentation fault", "Segmentation fault")))
    ),
    "not_confirmed": result(
        comparison(1.2, 0.03, 6), repetition=Repetition(comparison(0.9, 0.03, 6, arm="winner"), None, None, 1.05)
    ),
    "lost_larger": _lost_larger(),
    "guard_broken": result(comparison(1.2, 0.03, 6, others={SPACE: 1.3})),
    "limit_passed": result(comparison(1.2, 0.03, 6, others={P99: 3.0})),
    "no_finalists": result(),
    "no_difference": result(comparison(1.0, 0.01, 6)),
    "futile": result(comparison(0.99, 0.05, 6)),
    "worse": result(comparison(0.9, 0.03, 6)),
    "budget_ended": result(comparison(1.03, 0.05, 6)),
    "inconclusive": result(comparison(1.03, -0.15, 20)),
    "unknown": result(comparison(1.2, 0.03, 2)),
}
"""A study of every state, by the name of the state."""

PLANS: Mapping[str, TuneResult] = {
    "steps": by_steps(),
    "no_steps": replace(
        result(),
        steps=by_steps().steps[1:],
        decisions=Decisions(plan=StudyKind.STEPS, steps=(), finalists=(), done=True),
    ),
    "compared": compared(),
    "compared_in_vain": named(comparison(1.0, 0.01, 6), comparison(0.99, 0.01, 6, arm="finalist-2")),
}
"""A study of every plan that is no search."""


def on_page(renderable: RenderableType, width: int, *, encoding: str = "utf-8") -> str:
    """Return what a file would hold, without the blanks at the ends of lines."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n")
    Console(file=stream, width=width).print(renderable)
    stream.seek(0)
    return "".join(f"{line.rstrip()}\n" for line in stream.read().splitlines())
