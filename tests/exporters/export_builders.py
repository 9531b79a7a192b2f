"""Builders for tests of exporters: the result of a study that was prepared for the real engine but never run."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from lsmtune.backends.rocksdb import discover, find_db_bench
from lsmtune.experiment import parse_experiment
from lsmtune.lint import read_finding
from lsmtune.model import Configuration, EngineBuild, HostFacts, Value
from lsmtune.result import Change, Comparison, Decisions, EliminationTest, Evidence, TuneResult
from lsmtune.space import Option
from lsmtune.stats import Claim, decide, many_to_one, non_inferior
from lsmtune.store import StudyDescription, StudySummary
from lsmtune.study import Prepared, prepare

HOST = HostFacts("bench-1", "fedcba9876543210", "Some CPU", 2, 8 << 30, "6.1.0", "ext4", 80 << 30)

EXPERIMENT = """
name = "export"
scale = "1/64"
[workload]
benchmarks = "fillrandom"
num = "64M"
value_size = 1024
compression_ratio = 0.25
[space]
preset = "write-heavy"
options = ["bloom_bits", "cache_size", "bottommost_compression"]
[guards]
space_bytes = "1.10x"
[engine]
"""

GAINS = (0.30, 0.34, 0.36, 0.31, 0.38, 0.35)
ABLATION_GAINS = (0.18, 0.20, 0.19)


@cache
def build() -> EngineBuild:
    """The db_bench of this machine."""
    return discover(find_db_bench())


def prepared(folder: Path, engine_lines: str = "") -> Prepared:
    """The experiment with further lines in its table [engine], which may name files in `folder`."""
    if "options_file" not in engine_lines:
        return _prepared_without_files(engine_lines)
    return prepare(parse_experiment(EXPERIMENT + engine_lines, folder / "export.toml"))


@cache
def _prepared_without_files(engine_lines: str) -> Prepared:
    """The same for all tests: finding out what the db_bench is takes a few runs of it."""
    return prepare(parse_experiment(EXPERIMENT + engine_lines, Path("export.toml")))


def result(
    study: Prepared,
    values: Mapping[str, Value] | None = None,
    *,
    gains: tuple[float, ...] = GAINS,
    ablated: Mapping[str, tuple[float, ...]] | None = None,
    warnings: tuple[str, ...] = (),
) -> TuneResult:
    """What a finished study says that ended with `values` on top of its reference; None: nothing was shown."""
    rules = study.rules
    (claim,) = decide([Claim("finalist-1", gains)], 0, rules.minimum_effect)
    verified = Comparison("finalist-1", claim, {}, {}, {"space_bytes": non_inferior([0.01] * 6, 1.1)}, (), gains)
    final = rules.start if values is None else rules.start.changed(values)
    evidence = {
        name: Evidence(
            EliminationTest(place, (name,), accepted=False),
            many_to_one(pairs, [[0.0] * len(pairs)])[0] if len(pairs) > 1 else None,
        )
        for place, (name, pairs) in enumerate((ablated or {}).items(), 1)
    }
    return TuneResult(
        description=StudyDescription("export", EXPERIMENT, study.build, HOST, study.facts().to_json(), 1.7e9),
        summary=StudySummary({}, 1.7e9, 1.7e9 + 60, 60.0),
        rules=rules,
        decisions=Decisions(
            trials=1,
            finalists=("trial-1",),
            verify_looks=1,
            winner="finalist-1" if values is not None else "",
            done=True,
        ),
        noise={},
        detectable=None,
        baselines={},
        leaders=(),
        steps=(),
        verified=(verified,),
        candidates={},
        repetition=None,
        final=final,
        changes=tuple(
            Change(name, study.space.reference.get(name), value, evidence.get(name))
            for name, value in sorted((values or {}).items())
        ),
        tests=(),
        warnings=tuple(map(read_finding, warnings)),
    )


def together(study: Prepared) -> TuneResult:
    """What a study says whose first change was tested in the winner, and the other two only with each other."""
    values: dict[str, Value] = {"bloom_bits": 10, "cache_size": 64 << 20, "compression_type": "zstd"}
    told = result(study, values, ablated={"bloom_bits": ABLATION_GAINS})
    step = EliminationTest(1, ("cache_size", "compression_type"), accepted=False, control=1, final=True)
    (effect,) = many_to_one(ABLATION_GAINS, [[0.0] * len(ABLATION_GAINS)])
    first, *others = told.changes
    changes = (replace(first, taken_back_since=3), *others)
    return replace(told, changes=changes, tests=(Evidence(step, effect, told.final),))


def options_of(study: Prepared) -> tuple[Option, ...]:
    return tuple(study.catalogue.options.values())


def plain(configuration: Configuration) -> dict[str, Value]:
    return dict(configuration.values)
