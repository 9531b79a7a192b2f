"""Rules about a study as a whole, or about its runs taken together; asked by `lsmtune.result`.

Each function returns what its rule says of the given values, or None where they leave no doubt.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lsmtune.lint._rule import Finding, Rule
from lsmtune.model import EngineBuild, Value
from lsmtune.stats import Scatter
from lsmtune.units import format_percent, format_seconds, plural

_NEAR_BOUND = 0.02  # of the low end itself, as ranges may be logarithmic, and of the range at the high end
_DRIFT = 0.10
_SCATTER_RATIO = 2.0
_SCATTER_P = 0.01
_SCATTER_SD = 0.02

ASSERTION_BUILD = Rule(
    code="assertion-build",
    looks_at="Whether the engine's build says that it checks assertions; Debian's does.",
    threshold="Always then: how much it costs is another share for every option.",
    why="Assertions slow some paths more than others, so the size of a gain may differ on an optimised build. While "
    "lsmtune was planned, an optimised RocksDB 11.8.1 did the same fill 1.15 to 1.25 times as fast as Debian's 7.8.3, "
    "version and build together.",
    next="Repeat what matters on an optimised build; lsmtune build rocksdb builds one.",
    before=r"assertion build: ",
)


def assertion_build(build: EngineBuild, program: str, optimised: str) -> Finding | None:
    """Judge a build that a study was made with.

    Args:
        build: of the engine.
        program: what drives it, in words.
        optimised: what builds one without assertions; empty where nothing is known to.
    """
    if not build.assertions:
        return None
    hint = f" ({optimised})" if optimised else ""
    return ASSERTION_BUILD.says(
        f"{program} {build.version} checks assertions, which slows it down, by a different share for each option; "
        f"repeat what matters on an optimised build{hint}"
    )


UNLIKE_BUILDS = Rule(
    code="unlike-builds",
    looks_at="What differs between compared builds beside their code: whether they check assertions, and the defaults "
    "of options that nobody set.",
    threshold="Any difference of these that lsmtune knows of.",
    why="The ratio between two builds includes all that differs between them; a changed default or an assertion is "
    "easily taken for faster code.",
    next="Set the options under [space.fixed] to one value for both, and compare optimised builds with optimised ones.",
)


def mixed_builds(assertions: Sequence[bool]) -> Finding | None:
    """Judge builds by whether each checks assertions."""
    if len(set(assertions)) < 2:
        return None
    return UNLIKE_BUILDS.says(
        "some of the compared builds check assertions and some do not; what that costs is in their ratios"
    )


def differing_defaults(sentence: str) -> Finding | None:
    """Pass on which defaults differ between two builds; nothing where none does."""
    return UNLIKE_BUILDS.says(sentence) if sentence else None


BOUND_OPTIMUM = Rule(
    code="bound-optimum",
    looks_at="Numbers of the final configuration that differ from the reference, against the range they were searched "
    "in. Special values outside of the range, words and switches have no bound.",
    threshold=f"Within {format_percent(_NEAR_BOUND)} of an end: of the low end itself, as ranges may be logarithmic, "
    "and of the width at the high end. Samplers that work on real numbers come that close without touching it.",
    why="The best value of a range that is still rising at its end lies outside.",
    next="Widen the range under [space.ranges], or say why it ends there.",
    before=r"on a bound: ",
)


def bound_optimum(name: str, value: Value, ends: object, shown: str = "") -> Finding | None:
    """Judge a value of the final configuration against the ends of its range, a pair of numbers if there is one.

    `shown` is how people write the value; left out, it is written as it is.
    """
    if isinstance(value, str | bool) or not isinstance(ends, Sequence) or len(ends) != 2:
        return None
    low, high = float(ends[0]), float(ends[1])
    if low <= value <= low + _NEAR_BOUND * abs(low):
        end = "least"
    elif high - _NEAR_BOUND * (high - low) <= value <= high:
        end = "most"
    else:
        return None
    return BOUND_OPTIMUM.says(
        f"the best {name} = {shown or value} is the {end} of its range; a wider range may hold a better one"
    )


OLDER_RULES = Rule(
    code="older-rules",
    looks_at="By which rules a study that verified something was judged.",
    threshold="It was made before stopped runs counted at their bound.",
    why="Then runs that failed or that the cap stopped were left out with their pair, a guard that the runs did not "
    "decide did not bar a candidate, all stages read the data of one load, a gain was read from the runs that "
    "chose the "
    "winner, and a smaller configuration took its place without being compared with it. What is printed now is judged "
    "anew, as far as the runs allow it.",
    next="Tune again in a new study folder.",
)


def older_rules(*, verified: bool, is_older: bool) -> Finding | None:
    """Judge a study by when it was made and whether it verified something."""
    if not (verified and is_older):
        return None
    return OLDER_RULES.says("an older lsmtune made this study, whose rules let failed runs and open guards pass")


SEED_REUSE = Rule(
    code="seed-reuse",
    looks_at="Seeds of finished runs: among runs of one configuration, against the seed of the load, and against 0; of "
    "LevelDB's db_bench, which has fixed seeds, the fact itself.",
    threshold="One seed that repeats, one run that reads with the seed of a random load, or one seed 0.",
    why="Runs with one seed draw the same keys in the same order: their spread is that of the machine only, so "
    "intervals are too narrow, and what one left in the caches speeds up the next; reads seemed about twice as "
    "fast (RocksDB's pull requests 9733 and 9740). Reads with the seed of a random fill repeat its draws and find "
    "every key. A seed of 0 means the clock to db_bench, so the run cannot be repeated.",
    next="Let lsmtune draw the seeds, which differ in every run, and load with fillseq; with LevelDB's db_bench take "
    "the intervals as those of the machine's noise only.",
    before=r"same keys: |(?=\S+ draws the keys of fillrandom again)",
)


def fixed_seeds(program: str) -> Finding:
    """Say of a program that always draws the same keys what that means."""
    return SEED_REUSE.says(
        f"{program} has fixed seeds, so that every run draws the same keys; intervals cover only the machine's noise"
    )


def draws_again(phase: str) -> Finding:
    """Say that a phase reads the keys that a random fill drew."""
    return SEED_REUSE.says(
        f"{phase} draws the keys of fillrandom again, in its order, and so finds all of them; fill with fillseq for "
        "independent reads"
    )


def repeated_seeds(runs: int) -> Finding | None:
    """Judge the number of runs that repeat a configuration with a seed that another run of it had."""
    if not runs:
        return None
    return SEED_REUSE.says(
        f"{plural(runs, 'run')} of a configuration with a seed that it had before: these draw the same keys; intervals "
        "cover only the machine's noise"
    )


def seeds_of_the_clock(runs: int) -> Finding | None:
    """Judge the number of runs with seed 0."""
    if not runs:
        return None
    return SEED_REUSE.says(
        f"{plural(runs, 'run')} with seed 0, which db_bench takes from the clock, cannot be repeated"
    )


def seeds_of_the_load(runs: int) -> Finding | None:
    """Judge the number of runs that read with the seed of their random load."""
    if not runs:
        return None
    return SEED_REUSE.says(
        f"{plural(runs, 'run')} with the seed of a load at random: reads there repeat the draws of the load"
    )


ONE_LOAD = Rule(
    code="one-load",
    looks_at="The loaded data that the fresh runs of a verification, of steps or of a sweep read.",
    threshold="Two or more such runs, all with data from loads of one seed.",
    why="Trees of different loads differ, for example in where universal compaction is in its cycle. They differ by "
    "more than runs that read one tree do. Reads of one tree each gave 1.47x [1.34, 1.61] for BlobDB over "
    "leveled compaction, reads of three trees each 0.92x [0.45, 1.90] (reproductions/rocksdb-festival).",
    next="Take one_load out of [workload], so that each block loads anew; a study of an older lsmtune is repeated in a "
    "new folder.",
)


def one_load(seeds: Sequence[int]) -> Finding | None:
    """Judge the seeds with which the data of fresh runs was loaded, one for each run."""
    if len(seeds) < 2 or len(set(seeds)) > 1:
        return None
    return ONE_LOAD.says(
        f"all {len(seeds)} fresh runs read what loads of one seed left, so that intervals hold for these trees and not "
        "for others"
    )


DISTURBED_HOST = Rule(
    code="disturbed-host",
    looks_at="Runs during which others used the host, and runs that did not finish because others filled the disk. "
    "The key host.disturbed says what is done with the first. The others are made again, up to twice, and say "
    "nothing about their configuration.",
    threshold="One run. A run counts as disturbed where others took more than 10 % of the processor time of the cores "
    "that it may use, or of the time of its disk.",
    why="Programs that disturb some runs visibly disturb others a little, and every repeat costs time.",
    next="End other programs, timers and containers, and free the disk where others filled it, or move to a quieter "
    "host.",
    before=r"(?=\d+ of \d+ runs were disturbed by others on the host)",
)


@dataclass(frozen=True)
class DisturbedRuns:
    """How many runs others on the host disturbed, and what became of them.

    Attributes:
        disturbed: number of disturbed runs.
        runs: number of all runs.
        used: disturbed runs that are used as they are.
        again: disturbed runs that were made again.
        again_s: what these took in s.
    """

    disturbed: int
    runs: int
    used: int
    again: int
    again_s: float


def disturbed_host(
    found: DisturbedRuns, reason: str, by_host: Mapping[str, tuple[int, int]] | None = None
) -> Finding | None:
    """Judge the number of disturbed runs, with their most frequent reason.

    Args:
        found: their number, and what became of them.
        reason: the most frequent one.
        by_host: where there are several hosts, how many runs were disturbed of how many, by name.
    """
    if not found.disturbed:
        return None
    used = [f"used as they are: {found.used}"] if found.used else []
    again = [f"made again: {found.again}, which took {format_seconds(found.again_s)}"] if found.again else []
    became = f" ({'; '.join([*used, *again])})" if used or again else ""
    hit = [f"{host} ({of[0]} of {of[1]})" for host, of in (by_host or {}).items() if of[0]]
    where = f"their host, {', '.join(hit)}" if hit else "the host"
    return DISTURBED_HOST.says(
        f"{found.disturbed} of {found.runs} runs were disturbed by others on {where}{became}; most often: {reason}"
    )


def spoiled_runs(spoiled: int, runs: int, reason: str) -> Finding | None:
    """Judge the number of runs that others kept from their end, of all `runs`, with their most frequent reason."""
    if not spoiled:
        return None
    return DISTURBED_HOST.says(
        f"{spoiled} of {runs} runs did not finish because others filled the disk; most often: {reason}"
    )


DISTURBED_PAIRS = Rule(
    code="disturbed-pairs",
    looks_at="Pairs of fresh runs that a claim rests on, with a run in them during which others used the host.",
    threshold="One pair.",
    why="Pairs run side by side, so a disturbance of both cancels out, and a disturbance of one is noise that the "
    "interval includes. But a neighbour in the same rhythm as the runs would not be noticed.",
    next='On a quieter host the same number of pairs shows smaller differences; host.disturbed = "refuse" claims '
    "nothing from such pairs.",
)


def disturbed_pairs(disturbed: int, pairs: int) -> Finding | None:
    """Judge the number of pairs with a disturbed run that is used, of all pairs."""
    if not disturbed:
        return None
    return DISTURBED_PAIRS.says(
        f"{disturbed} of {pairs} pairs of fresh runs rest on runs that others on the host disturbed, and their "
        "intervals include that"
    )


FAILED_RUNS = Rule(
    code="failed-runs",
    looks_at="Runs that ended in a crash, a refusal, an unreadable output or a full disk.",
    threshold="One run: failures are not random, so the rest is a selection.",
    why="Failures cost budget, and part of the space stays unknown.",
    next="Look at lsmtune show STUDY --runs; exclude the option behind them, or narrow its range.",
    before=r"(?=\d+ of \d+ runs failed; )",
)


def failed_runs(failed: int, runs: int, reason: str) -> Finding | None:
    """Judge the number of failed runs of all `runs`, with their most frequent reason."""
    return FAILED_RUNS.says(f"{failed} of {runs} runs failed; most often: {reason}") if failed else None


CAPPED_RUNS = Rule(
    code="capped-runs",
    looks_at="Points of a design or cells of a sweep whose runs were stopped by search.cap. Trials of a search are "
    "left out: there it is what the cap is for.",
    threshold="One run.",
    why="Only the slow runs are stopped. A cell that lost some of its runs is judged by its faster ones, one that lost "
    "all of them has no value, and a model knows of them only that they were slower than a bound.",
    next="Raise search.cap and run it again; lsmtune show STUDY --runs names the runs.",
)


def capped_runs(capped: int, runs: int) -> Finding | None:
    """Judge the number of runs of a design that the cap stopped, of all `runs`."""
    if not capped:
        return None
    return CAPPED_RUNS.says(
        f"{capped} of {runs} runs were stopped by search.cap; what is left of their cells is too good"
    )


MISSING_PAIRS = Rule(
    code="missing-pairs",
    looks_at="Places in the blocks of the verification that were run and have no result.",
    threshold="One place.",
    why="A claim rests on the pairs that are left. If one arm loses more than the other, it is judged by its "
    "better runs.",
    next="Look at lsmtune show STUDY --runs; if one arm fails more often than the other, do not trust the verdict.",
    before=r"(?=runs of the verification that gave nothing: )",
)


def missing_pairs(missing: int) -> Finding | None:
    """Judge the number of places in the verification without a result."""
    if not missing:
        return None
    return MISSING_PAIRS.says(
        f"runs of the verification that gave nothing: {missing}; their pairs are missing from the claims"
    )


ANCHORS_DISAGREE = Rule(
    code="anchors-disagree",
    looks_at="Runs of the reference among the trials, in each indicator of the objective: the trend over all of them, "
    "shrunken to its share of their variance (see statistics.md), and their scatter around it against that of the "
    "reference's first runs.",
    threshold=f"A trend of more than {format_percent(_DRIFT)}, three times the default minimum effect of interest. A "
    f"scatter of more than {format_percent(_SCATTER_SD)}, at least {_SCATTER_RATIO:g} times that of the first runs, "
    f"and with p < {_SCATTER_P:g} in the F test: less than that may be chance, or not due to the host. The scatter is "
    "taken from neighbours, so that a slow drift does not count twice.",
    why="The machine did not stay the same. Rankings of trials rely on the anchors, and the noise floor is that of "
    "the first runs; verification compares within blocks and suffers less.",
    next="Find out what changed on the host (temperature, other tenants, a filling disk), and take rankings of trials "
    "as hints.",
    before=r"drift: ",
)


def anchors_drifted(indicator: str, total: float | None, host: str = "") -> Finding | None:
    """Judge the trend of the reference.

    Args:
        indicator: its name.
        total: level at the end over that at the beginning; None where it is not known.
        host: where it was; empty where there is one host.
    """
    if total is None or abs(total - 1) <= _DRIFT:
        return None
    return ANCHORS_DISAGREE.says(
        f"{indicator} of the reference{_on(host)} changed by {format_percent(total - 1)} during the study; trials are "
        "compared with the anchors around them"
    )


def anchors_scattered(indicator: str, scatter: Scatter | None, host: str = "") -> Finding | None:
    """Judge the scatter of the anchors, on a host where there are several; None where it is not known."""
    if scatter is None or scatter.p >= _SCATTER_P or scatter.sd_log <= max(_SCATTER_SD, _SCATTER_RATIO * scatter.base):
        return None
    return ANCHORS_DISAGREE.says(
        f"{indicator} of the reference{_on(host)} varied by {format_percent(scatter.sd_log)} from anchor to anchor and "
        f"by {format_percent(scatter.base)} among its first runs; trials are noisier than the noise floor says"
    )


def _on(host: str) -> str:
    return f" on {host}" if host else ""
