"""An experiment meets a machine: its engine build, catalogue, space, starting points and rules."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from lsmtune.backends import ArmBench, Bench
from lsmtune.backends.registry import backend_of, catalogue_of
from lsmtune.backends.rocksdb import demanded_beside
from lsmtune.errors import EngineError, OptionError, UsageError
from lsmtune.executors import Limits, host_facts
from lsmtune.executors.hosts import Recipe
from lsmtune.experiment import (
    ChangeTable,
    Experiment,
    SampleTable,
    SpaceTable,
    Variants,
    axis_dimensions,
    changes_of,
    competing_factor,
    fixed_values,
    overrides,
    searched_options,
    still_option,
    variants_of,
)
from lsmtune.full_size import FullSize
from lsmtune.lint import Finding
from lsmtune.model import EngineBuild, StudyKind, Workload
from lsmtune.result import (
    ArmBuild,
    Climbing,
    Disturbed,
    InCode,
    Rules,
    Shrink,
    StudyFacts,
    WorkloadFacts,
    finalist,
    own_words,
    ranges_of,
    values_at,
)
from lsmtune.samplers import Sampler, make_sampler
from lsmtune.space import Catalogue, Option, Space, build_space
from lsmtune.stats import Part
from lsmtune.store import StudyDescription
from lsmtune.study._budget import Budget, baseline_runs
from lsmtune.study._columns import columns_of
from lsmtune.study._contenders import Column, Contender, OtherBuild
from lsmtune.study._factors import bundles_of, factors_of
from lsmtune.study._figures import Figures, bounds_at_full_size, bounds_words
from lsmtune.study._first import earlier_results
from lsmtune.study._in_code import cache_findings, in_code_of, own_settings
from lsmtune.study._memory import check_memory, fit_memory
from lsmtune.study._memtables import fit_memtables, written_bytes
from lsmtune.study._prior import prior_of
from lsmtune.study._resources import memory_of_run, resource_limits
from lsmtune.study._runner import LEAST_CAP_S, RunPolicy
from lsmtune.study._starting_points import settle_compressor, starting_points, whole_file
from lsmtune.study.plans._designs import FACTORIAL
from lsmtune.study.plans._sample import SampleSettings, column_arms
from lsmtune.study.plans._search import SearchSettings
from lsmtune.study.plans._steps import NamedChanges
from lsmtune.units import plural

_STARTUP_SHARE = 4  # of the options: the first proposals are spread evenly before the model is used
_LEAST_STARTUP, _MOST_STARTUP = 8, 10
_BASELINE_CAP_S = 3600.0
_ALL = 1000  # more cells than that take longer than anyone waits


@dataclass(frozen=True)
class Prepared:
    """All that a study needs to run.

    Attributes:
        experiment: what the user asked for.
        build: the engine that was found.
        catalogue: the options that this build has.
        missing: options that the catalogue knows and this build lacks; they are never passed.
        space: what is searched.
        rules: by what the study is judged.
        contenders: what a comparison runs against the reference; see `lsmtune.study.comparing`.
        variants: of a sweep; empty for all else.
        columns: the variants of a sweep that run on another engine or build.
        notes: what was changed in the space, in sentences.
        in_code: what the user's own configuration has beyond its OPTIONS file.
    """

    experiment: Experiment
    build: EngineBuild
    catalogue: Catalogue
    missing: tuple[Option, ...]
    space: Space
    rules: Rules
    contenders: tuple[Contender, ...] = ()
    variants: tuple[Variants, ...] = ()
    columns: tuple[Column, ...] = ()
    notes: tuple[str, ...] = ()
    in_code: tuple[InCode, ...] = ()

    @property
    def name(self) -> str:
        """The name of the study."""
        return self.experiment.name

    @property
    def budget(self) -> Budget:
        """What the experiment says may be spent."""
        table, search = self.experiment.budget, self.experiment.search
        if table.trials is not None and table.runs is None:
            runs = baseline_runs(search.noise_runs, len(self.rules.baselines))
            kept = 0.0 if self.rules.climbing is None else self.rules.climbing.share
            return Budget.of_trials(table.trials, table.time_s, runs, search.anchor_every, kept)
        return Budget(table.time_s, table.runs, trials=table.trials)

    @property
    def workload(self) -> Workload:
        """What is asked of the engine, at full size."""
        return self.experiment.workload()

    @property
    def scale(self) -> Fraction:
        """The factor by which data and tree shrink."""
        return self.experiment.scale

    @property
    def other_builds(self) -> dict[str, ArmBuild]:
        """The builds of a comparison or of a sweep beside its own, by arm."""
        return {arm: each.kept for arm, each in self._others().items()}

    @cached_property
    def full_size(self) -> FullSize:
        """What configurations come to at full size."""
        file = self.rules.start.options_file
        return FullSize(self.build, self.workload, self.scale, self.space.reference, options_file=file)

    def bench(self) -> Bench:
        """Return the bench that runs the workload, each arm that has one on its own build."""
        own = self._bench_of(self.build, self.catalogue)
        others = {arm: self._bench_of(each.build, each.catalogue) for arm, each in self._others().items()}
        return ArmBench(own, others) if others else own

    def recipe(self, *, same_build: bool) -> Recipe:
        """Return what other hosts make the runs with; `same_build`: each has to have the very builds of this one."""
        others = tuple((arm, each.build) for arm, each in self._others().items())
        return Recipe(self.build, self.workload, self.scale, others, same_build)

    def _bench_of(self, build: EngineBuild, known: Catalogue) -> Bench:
        return backend_of(build).bench(build, known, self.workload, self.scale)

    def _others(self) -> dict[str, OtherBuild | Column]:
        """Return what does not run on the build of the experiment, by arm."""
        contenders = {
            finalist(place): each.other for place, each in enumerate(self.contenders, start=1) if each.other is not None
        }
        return {**contenders, **(column_arms(self.sweep_settings()) if self.columns else {})}

    def searching(self) -> "Prepared":
        """Return the same experiment with a space that holds no memtables that the data cannot fill.

        Nor does it hold what passes a bound on memory at full size. Ranges of the user's own stay; what is named one by
        one, as in a comparison, is not touched.
        """
        host_bytes = memory_of_run(self.experiment)
        space, notes = fit_memory(self.space, self.rules.bounds, self.full_size, host_bytes)
        data_bytes = written_bytes(self.workload)
        if data_bytes is not None:
            own = overrides(self.experiment, self.catalogue).keys()
            families = self.experiment.backend.vocabulary.families(self.workload)
            space, cut = fit_memtables(space, data_bytes, own, len(families))
            notes = (*cut, *notes)
        return replace(self, space=space, notes=(*self.notes, *notes))

    def search_settings(self) -> SearchSettings:
        """Return how the search goes.

        Raises:
            SamplerError: a package that the sampler needs is missing.
        """
        wanted = self.experiment.search
        startup = startup_runs(self.space)

        def sampler() -> Sampler:
            return make_sampler(wanted.sampler, self.space, wanted.seed, startup)

        sampler()  # what it needs is missed here, before a run is spent
        rules = self.rules
        prior = prior_of(self.build.engine, self.workload, self.space.reference, rules.objective, rules.bounds)
        first = earlier_results(wanted.first, self.build.engine, self.space)
        return SearchSettings(
            self.space, sampler, wanted.anchor_every, wanted.noise_runs, first, wanted.rungs, wanted.stop, prior
        )

    def step_settings(self) -> NamedChanges:
        """Return the steps of a step-by-step tuning.

        Raises:
            UsageError: the experiment has none.
            OptionError: a step sets an option that this build does not have.
        """
        tables = self.experiment.steps
        if not tables:
            raise UsageError(
                f'the experiment "{self.experiment.name}" has no [[steps]]; write each with a name and '
                'set = { write_buffer_size = "8MiB" }'
            )
        self.check_has(tables)
        return NamedChanges(self.space, changes_of(tables, self.catalogue), self.experiment.search.noise_runs)

    def findings(self) -> tuple[Finding, ...]:
        """Return what the linter says before a run."""
        return cache_findings(self.experiment, self.catalogue, self.space.reference)

    def with_contenders(self, contenders: tuple[Contender, ...]) -> "Prepared":
        """Return the same experiment with what it compares."""
        return replace(self, contenders=contenders)

    def compare_settings(self) -> NamedChanges:
        """Return what is compared with the reference."""
        return NamedChanges(
            self.space,
            tuple(each.change for each in self.contenders),
            self.experiment.search.noise_runs,
            {each.change.name: each.other.space for each in self.contenders if each.other is not None},
        )

    def check_has(self, tables: Iterable[ChangeTable]) -> None:
        """Check that this build has every option that named changes set.

        Raises:
            OptionError: it lacks one.
        """
        unsupported = {option.name for option in self.missing}
        for table in tables:
            absent = sorted(unsupported.intersection(table.values))
            if absent:
                raise OptionError(
                    f'"{table.name}" sets {", ".join(absent)}, which what runs here lacks; take it out, or use another '
                    "build"
                )

    def sweeping(self) -> "Prepared":
        """Return the same experiment with its sweep in the place of its space and its sample.

        Raises:
            UsageError: the experiment has no sweep.
            OptionError: an option is missing in this build, or cannot take a value.
        """
        wanted = self.experiment.sweep
        if wanted is None:
            raise UsageError(
                f'the experiment "{self.experiment.name}" has no table [sweep]; write [sweep.options] with '
                'write_buffer_size = ["16MiB", "64MiB"]'
            )
        axes = {name: {"values": list(values)} for name, values in wanted.axes.items()}
        sample = SampleTable.model_validate({"design": FACTORIAL, "replicates": _ALL, "axes": axes})
        here = (each for listed in wanted.variants.values() for each in listed)
        self.check_has(each for each in here if not each.runs_elsewhere(self.build.engine))
        variants = variants_of(wanted.variants, self.build.engine, self.catalogue, self.space.reference)
        columns = columns_of(wanted.variants, self.build, self.rules.start)
        for column in columns:
            self._check_runs(column)
        touched = {name: each.listed(name) for each in variants for name in each.options}
        varied = {name: values for name, values in touched.items() if len(values) > 1}
        stands = still_option(self.catalogue)
        still = {stands: (self.space.reference[stands],)}
        swept = {**(wanted.options or ({} if stands in touched else still)), **varied}
        lists = {"ranges": {name: {"values": list(values)} for name, values in swept.items()}}
        space_table = SpaceTable.model_validate(lists)
        experiment = self.experiment.model_copy(update={"sample": sample, "space": space_table})
        space = build_space(
            self.catalogue,
            [self.catalogue.option(name).name for name in swept],
            self.space.reference,
            overrides(experiment, self.catalogue),
            self.experiment.constraints,
            self.build.compressors,
        )
        # Options of variants are axes up to here for the sake of the engine's constraints and of this build's codecs.
        axes_left = tuple(axis for axis in space.dimensions if axis.name not in touched)
        named = tuple(each.dimension() for each in variants)
        reference = {**space.reference, **{axis.name: axis.default for axis in named}}
        space = replace(space, dimensions=(*axes_left, *named), reference=reference)
        return replace(self, experiment=experiment, space=space, variants=variants, columns=columns)

    def _check_runs(self, column: Column) -> None:
        """Check before a run that what runs elsewhere can run the workload.

        Raises:
            EngineError: it cannot.
        """
        try:
            self._bench_of(column.build, column.catalogue)
        except EngineError as error:
            raise EngineError(f'"{column.kept.name}" under [sweep.variants]: {error}') from None

    def sweep_settings(self) -> SampleSettings:
        """Return what a sweep runs, of an experiment that is `sweeping`."""
        wanted = self.experiment.sweep
        if wanted is None:
            return self.sample_settings()
        part = None if wanted.fraction is None else Part(wanted.fraction, competing_factor(self.experiment))
        return replace(self.sample_settings(), repeats=wanted.repeats, part=part, kind=StudyKind.SWEEP)

    def sample_settings(self) -> SampleSettings:
        """Return what a sample runs: the searched options and the axes of the workload.

        Raises:
            OptionError: an axis of the workload does not fit.
        """
        wanted, search = self.experiment.sample, self.experiment.search
        return SampleSettings(
            space=self.sampled_space(),
            design=wanted.design,
            runs=wanted.runs,
            test=wanted.test,
            replicates=wanted.replicates,
            repeats=wanted.repeats,
            anchor_every=search.anchor_every,
            noise_runs=search.noise_runs,
            seed=search.seed,
            variants=self.variants,
            columns=self.columns,
        )

    def sampled_space(self) -> Space:
        """Return the searched space with the axes of the workload that a sample varies."""
        axes = axis_dimensions(self.experiment)
        reference = {**self.space.reference, **{axis.name: axis.default for axis in axes}}
        return replace(self.space, dimensions=(*self.space.dimensions, *axes), reference=reference)

    def policy(self, budget: Budget) -> RunPolicy:
        """Return how runs are made, under a budget."""
        host = self.experiment.host
        workload = self.experiment.workload()
        # Twice, for paying the debt between the rates, or behind phases of a given length.
        longest_s = 0.0 if workload.max_rate is None else 2 * workload.max_rate.longest_s()
        asked_s = 2 * (workload.duration_s or 0.0) * len(workload.benchmarks)
        longest_cap_s = max(_BASELINE_CAP_S, longest_s, asked_s)
        resources = resource_limits(self.experiment)
        limits = Limits(longest_cap_s, _BASELINE_CAP_S, host.max_disk_bytes, host.min_free_bytes, resources)
        wanted = self.experiment.search
        beat = wanted.beat if self.rules.bounded else None  # a slow trial may be the end of a front
        one_load = self.experiment.workload_table.one_load
        least_cap_s = max(LEAST_CAP_S, longest_s)
        builds = {arm: each.kept for arm, each in self._others().items()}
        figures = Figures.of(self.full_size, builds, self.rules)
        return RunPolicy(budget, limits, wanted.cap, wanted.seed, beat, one_load, least_cap_s, figures)

    def scratch(self, folder: Path) -> Path:
        """Return the folder for the data of the runs of the study in `folder`; it is emptied at every start."""
        wanted = self.experiment.host.scratch
        if wanted is None:
            return folder / "scratch"
        place = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:8]
        return wanted / f"lsmtune-{folder.resolve().name}-{place}"

    def introduction(self, folder: Path) -> list[str]:
        """Return what is about to happen, and what is left out, in sentences."""
        build = self.build
        what = f"{len(self.contenders)} to compare" if self.contenders else plural(len(self.space), "option")
        said = [f"{build.engine} {build.version} by {build.path}, {what}, study in {folder}"]
        if build.assertions:
            optimised = backend_of(build).optimised
            hint = f"; {optimised}" if optimised else ""
            said.append(f"this build checks assertions: an optimised one is faster, by an unequal share{hint}")
        if self.in_code:
            said.append(own_words(self.in_code, self.rules))
        if self.missing:
            names = ", ".join(option.name for option in self.missing)
            said.append(f"this build lacks {names}; they are left at their default")
        said.extend((*self.experiment.notes, *self.notes, *bounds_words(self.rules)))
        said.extend(str(finding) for finding in self.findings())
        for kept in {each.name: each for each in self.other_builds.values()}.values():
            other = kept.build
            said.append(f'"{kept.name}" is {other.engine} {other.version} by {other.path}')
            if kept.defaults:
                said.append(kept.defaults_sentence(build))
        return said

    def description(self, folder: Path) -> StudyDescription:
        """Return what the study in `folder` is about."""
        host = host_facts(self.scratch(folder))
        return StudyDescription(self.name, self.experiment.text, self.build, host, self.facts().to_json())

    def facts(self) -> StudyFacts:
        """Return what a study keeps about itself, so that it can be shown without its engine."""
        sampled = self.sampled_space()
        return StudyFacts(
            rules=self.rules,
            scale=self.scale,
            reference_values=dict(self.space.reference),
            ranges=ranges_of(self.space),
            searched=self.space.names,
            sampler=self.experiment.search.sampler,
            missing=tuple(option.name for option in self.missing),
            factors=factors_of(sampled, self.catalogue, self.variants),
            bundles=bundles_of(sampled),
            workload=WorkloadFacts.of(self.workload, self.scale),
            builds=self.other_builds,
            in_code=self.in_code,
            from_files=self.experiment.notes,
            column_family=self.experiment.engine.column_family or "",
            whole_file=whole_file(self.experiment),
        )


def startup_runs(space: Space) -> int:
    """Return how many proposals of a search are spread evenly before a model of the responses is used."""
    return max(_LEAST_STARTUP, min(_MOST_STARTUP, len(space) + _STARTUP_SHARE))


def prepare(experiment: Experiment, db_bench: Path | None = None) -> Prepared:
    """Find the engine of an experiment and make its space, starting points and rules.

    Args:
        experiment: what the user asked for.
        db_bench: a binary that goes before the experiment's own.

    Raises:
        EngineError: no usable db_bench.
        UsageError: the experiment does not fit the engine that was found.
    """
    build = _build(experiment, db_bench)
    everything = catalogue_of(experiment.engine.name).for_version(build.version_tuple)
    missing = backend_of(build).unsupported(build, everything)
    unsupported = {option.name for option in missing}
    known = everything.without(unsupported)
    fixed = fixed_values(experiment, known)
    own = own_settings(experiment, build, everything, known)
    starts = starting_points(experiment, build, known, own, fixed)
    in_code = in_code_of(experiment, build, known, starts)
    start = starts[experiment.reference]
    known = demanded_beside(start.options_file, known)
    reference_values = values_at(start, build, known)
    experiment, said = settle_compressor(experiment, build, known, starts.get("options_file"))
    check_memory(reference_values, experiment.workload(), experiment.scale, memory_of_run(experiment))
    space = build_space(
        known,
        _available(experiment, everything, unsupported),
        reference_values,
        overrides(experiment, known),
        experiment.constraints,
        build.compressors,
    )
    rules = Rules(
        objective=experiment.objective(),
        guards=experiment.guards(),
        limits=experiment.limits(),
        reference=experiment.reference,
        baselines=starts,
        minimum_effect=experiment.search.interest,
        finalists=experiment.search.finalists,
        pareto=experiment.search.pareto and not experiment.by_steps,  # a list of steps ends in one configuration
        timed=experiment.times_all_work and experiment.objective().follows_time,
        disturbed=Disturbed(experiment.host.disturbed),
        climbing=_climbing(experiment),
        full_size=bounds_at_full_size(FullSize(build, experiment.workload(), experiment.scale, reference_values)),
    )
    return Prepared(experiment, build, known, missing, space, rules, notes=said, in_code=in_code)


def _climbing(experiment: Experiment) -> Climbing | None:
    wanted = experiment.verify
    return Climbing(experiment.scale, wanted.scales, wanted.share, Shrink(wanted.shrink)) if wanted.scales else None


def find_again(recorded: EngineBuild, db_bench: Path | None = None) -> EngineBuild:
    """Return the build with which a study was made, or what is found in its place.

    Args:
        recorded: the build of the study.
        db_bench: a binary that goes before the study's own.

    Raises:
        EngineError: there is none.
    """
    path = db_bench or (recorded.path if recorded.path.exists() else None)
    return backend_of(recorded).find(recorded.engine, path, "--db-bench" if db_bench else "the study")


def _build(experiment: Experiment, db_bench: Path | None) -> EngineBuild:
    engine, backend = experiment.engine, experiment.backend
    if db_bench is None:
        return backend.find(engine.name, engine.programs[backend.key], f"engine.{backend.key}")
    if not backend.flag:
        raise UsageError(
            f'--db-bench {db_bench} is not used by the tool {experiment.tool}; write "{backend.key}" under [engine]'
        )
    return backend.find(engine.name, db_bench, backend.flag)


def _available(experiment: Experiment, everything: Catalogue, unsupported: set[str]) -> tuple[str, ...]:
    """Return the searched options that this build has; a preset's others are left out, a named one is refused.

    A comparison of builds need not name any: one option then stands still.
    """
    known = catalogue_of(experiment.engine.name)
    wanted = searched_options(experiment, known)
    absent = {name for name in wanted if name not in everything.options or name in unsupported}
    named = absent.intersection(known.option(name).name for name in experiment.space.options)
    if named:
        raise OptionError(
            f"space.options: what runs here has no {' and no '.join(sorted(named))}; take it out, or use another build"
        )
    found = tuple(name for name in wanted if name not in absent)
    searches = experiment.space.preset is not None or experiment.space.options
    return found if found or searches else (still_option(everything.without(unsupported)),)
