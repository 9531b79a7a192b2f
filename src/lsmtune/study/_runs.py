"""The runs of a stored study as a table for analysis."""

from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from lsmtune.analysis import Derive, Runs, TableFacts
from lsmtune.backends.registry import catalogue_of, tools_of
from lsmtune.backends.rocksdb import demanded_beside
from lsmtune.errors import StudyError
from lsmtune.experiment import overrides
from lsmtune.extras import need
from lsmtune.full_size import FullSize
from lsmtune.lsm_model import TREE_OPTIONS, tree_features
from lsmtune.model import EngineBuild, Purpose, Value
from lsmtune.result import History, StudyFacts, other_start_values
from lsmtune.space import VARIANT_PREFIX, WORKLOAD_PREFIX, Change, Factor, Space, build_space
from lsmtune.store import StoredRun, Study
from lsmtune.study.plans._sample import kept_variants
from lsmtune.units import format_bytes

_RANDOM_WRITES = {"fillrandom", "overwrite", "updaterandom"}


def runs_of(study: Study) -> Runs:
    """Return the runs of a study for analysis, whatever made it, in the order of running; see `History.analysed`.

    Raises:
        StudyError: the study was made by an lsmtune that did not keep what varied.
    """
    facts = StudyFacts.of(study.description)
    factors, bundles, others = facts.factors, facts.bundles or (), facts.builds
    if factors is None:
        raise StudyError(
            f"the study {study.folder} was made by lsmtune {study.description.lsmtune_version}, which did not keep "
            "what an analysis needs; sample or tune in a new study folder"
        )
    need("the table of the runs", "pandas")
    import pandas as pd

    rules, variants = facts.rules, kept_variants(study)
    history, own = History(tuple(study.runs()), {}, rules.disturbed), study.description.build
    ended = history.analysed(study.kind, others)
    starts = [other_start_values(facts, own, stored.run) or rules.start.values for stored in ended]
    asked = [
        _asked(stored, start, variants, elsewhere=stored.run.arm in others)
        for stored, start in zip(ended, starts, strict=True)
    ]
    columns: dict[str, list[Any]] = {
        "run": [stored.run.id for stored in ended],
        "purpose": [str(stored.run.purpose) for stored in ended],
        "arm": [stored.run.arm for stored in ended],
        "block": [stored.run.block or 0 for stored in ended],
        "status": [str(stored.status) for stored in ended],
        "order": list(range(1, len(ended) + 1)),
        "started_at": [stored.started_at for stored in ended],
        "elapsed_s": [stored.elapsed_s for stored in ended],
        "bound_s": [stored.bound_s for stored in ended],
        "seed": [stored.run.seed for stored in ended],
        "reason": [stored.reason for stored in ended],
        "effective": [stored.effective_key or "" for stored in ended],
        "counts": [str(history.counts(stored)) for stored in ended],
        "host": [stored.run.host for stored in ended],
    }
    frame = pd.DataFrame(columns).astype({"bound_s": "float64", "elapsed_s": "float64", "started_at": "float64"})
    values = {factor.column: [_value(factor, each) for each in asked] for factor in factors}
    measured = {name: study.indicator(name) for name in study.indicators()}
    indicators = {f"indicator.{name}": frame["run"].map(column).astype("float64") for name, column in measured.items()}
    return Runs(
        factors, bundles, _facts(study, facts), pd.concat([frame, pd.DataFrame({**values, **indicators})], axis=1)
    )


def space_of(runs: Runs) -> Space:
    """Return the options that varied over recorded runs as a space to search; all other factors are left out.

    Raises:
        OptionError: this lsmtune does not know an option of the table.
    """
    experiment = runs.facts.asked
    version = tuple(int(part) for part in runs.facts.version.split("."))
    known = demanded_beside(runs.facts.options_file, catalogue_of(runs.facts.engine).for_version(version))
    options = [
        factor
        for factor in runs.factors
        if factor.change is not Change.WORKLOAD and not factor.name.startswith(VARIANT_PREFIX)
    ]
    codecs = {str(value) for factor in options if factor.is_category for value in runs.frame[factor.column].unique()}
    return build_space(
        known,
        [factor.name for factor in options],
        runs.facts.reference_values,
        overrides(experiment, known),
        experiment.constraints,
        sorted(codecs),
    )


def knowledge_of(runs: Runs) -> Derive | None:
    """Return what knowledge of the engine says about each row, as features for models; None where nothing is known.

    Known is how trees of some engines grow under random writes.
    """
    facts = runs.facts
    if not any(backend.grows_as_modelled for backend in tools_of(facts.engine).values()):
        return None
    workload, reference = facts.asked.workload(), facts.reference_values
    if not set(workload.benchmarks) <= _RANDOM_WRITES or not set(TREE_OPTIONS) <= reference.keys():
        return None
    return tree_features(workload, reference, facts.cores, float(facts.scale))


def full_size_of(runs: Runs) -> FullSize:
    """Return what computes memory and space at full size of the configurations of recorded runs."""
    facts, asked = runs.facts, runs.facts.asked
    build = EngineBuild(facts.engine, facts.version, Path(), facts.build, facts.assertions, (), (), asked.tool)
    return FullSize(build, asked.workload(), facts.scale, facts.reference_values, options_file=facts.options_file)


def _asked(
    stored: StoredRun,
    start: Mapping[str, Value],
    variants: Mapping[tuple[Purpose, str], dict[str, Value]],
    *,
    elsewhere: bool,
) -> dict[str, Value]:
    """Return what was asked for in a run; of one on another engine not its options, as they mean something else."""
    options = {} if elsewhere else stored.run.configuration.values
    scenario = {f"{WORKLOAD_PREFIX}{name}": value for name, value in stored.run.scenario}
    return {**start, **options, **scenario, **variants.get((stored.run.purpose, stored.run.arm), {})}


def _value(factor: Factor, asked: Mapping[str, Value]) -> Any:
    """Return what was asked for; where nothing was, the reference's value."""
    value = asked.get(factor.name, factor.reference)
    return float(value) if factor.kind == "float" else value


def _facts(study: Study, facts: StudyFacts) -> TableFacts:
    description = study.description
    build, host = description.build, description.host
    builds = {each.name: f"{each.build.engine} {each.build.version}" for each in facts.builds.values()}
    return TableFacts(
        name=description.name,
        kind=study.kind,
        engine=build.engine,
        version=build.version,
        build=build.fingerprint,
        assertions=build.assertions,
        host=f"{host.processor}, {host.cores} cores, {format_bytes(host.memory_bytes)}, {host.filesystem}, "
        f"Linux {host.kernel}",
        cores=host.cores,
        scale=facts.scale or Fraction(1),
        keys=None if facts.workload is None else facts.workload.keys,
        reference=facts.rules.reference,
        created=datetime.fromtimestamp(description.created_at, UTC).isoformat(timespec="seconds"),
        lsmtune=description.lsmtune_version,
        experiment=description.experiment,
        reference_values=facts.reference_values or {},
        elsewhere=builds if study.kind.has_design else {},
        options_file=facts.rules.start.options_file,
    )
