"""What a study says of itself, kept when it is created, so that it is shown without its engine or its files.

This is the only place that knows how facts are stored. Each field has a default for studies that were made before it;
what a newer lsmtune added is kept and not looked at.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from lsmtune.codec import (
    JSON,
    MisreadError,
    Object,
    anything,
    fraction,
    listed,
    mapped,
    number,
    optional,
    pair,
    scalar,
    stored,
    text,
    truth,
    whole,
)
from lsmtune.model import Value, Workload
from lsmtune.result._builds import ArmBuild
from lsmtune.result._in_code import InCode
from lsmtune.result._rules import Rules
from lsmtune.space import Factor, Space
from lsmtune.store import StudyDescription


@dataclass(frozen=True)
class WorkloadFacts:
    """What the engine is asked to do, as far as it is shown. None is what a study does not say.

    Attributes:
        benchmarks: the measured steps in order; of a command of the user's own, the command.
        load: the steps that build the data once.
        keys: number of keys at the study's scale.
        key_size_bytes, value_size_bytes: of a pair, in B.
        threads: client threads.
        settle: what happens between the load and the reading of sizes.
        keeps: what the largest rate has to keep, where it is sought.
        reopens: whether the database is closed and opened between phases.
    """

    benchmarks: tuple[str, ...] | None = None
    load: tuple[str, ...] | None = None
    keys: int | None = None
    key_size_bytes: float | None = None
    value_size_bytes: float | None = None
    threads: int | None = None
    settle: str | None = None
    keeps: str | None = None
    reopens: bool | None = None

    @classmethod
    def of(cls, workload: Workload, scale: Fraction) -> "WorkloadFacts":
        """Return what is shown of a workload at a scale."""
        return cls(
            benchmarks=workload.benchmarks,
            load=workload.load,
            keys=round(workload.num * scale),
            key_size_bytes=workload.key_size_bytes,
            value_size_bytes=workload.value_size_bytes,
            threads=workload.threads,
            settle=str(workload.settle),
            keeps=None if workload.max_rate is None else workload.max_rate.words,
            reopens=True if workload.reopen else None,
        )

    @classmethod
    def from_json(cls, value: Any) -> "WorkloadFacts":
        """Return what `to_json` wrote.

        Raises:
            MisreadError: the value is none.
        """
        fields = Object(value)
        return cls(
            fields.get("benchmarks", listed(text), None),
            fields.get("load", listed(text), None),
            fields.get("keys", whole, None),
            fields.get("key_size_bytes", number, None),
            fields.get("value_size_bytes", number, None),
            fields.get("threads", whole, None),
            fields.get("settle", text, None),
            fields.get("keeps", text, None),
            fields.get("reopens", truth, None),
        )

    def to_json(self) -> dict[str, JSON]:
        """Return it as JSON values, without what is not said."""
        return {name: _plain(value) for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class ParameterFacts:
    """A parameter of a command of the user's own, as its search space has it.

    Attributes:
        name: of the parameter, with dots.
        path: keys in what a trial gets.
        type: NNI's ``_type``.
        arguments: NNI's ``_value``.
        condition: parameters above it with the values for which it has an effect.
    """

    name: str
    path: tuple[str, ...]
    type: str
    arguments: tuple[JSON, ...]
    condition: tuple[tuple[str, Value], ...]

    @classmethod
    def from_json(cls, value: Any) -> "ParameterFacts":
        """Return what `to_json` wrote.

        Raises:
            MisreadError: the value is none.
        """
        fields = listed(anything)(value)
        if len(fields) != 5:
            raise MisreadError("is not a name, a path, a type, arguments and a condition")
        name, path, kind, arguments, condition = fields
        return cls(
            text(name),
            listed(text)(path),
            text(kind),
            listed(anything)(arguments),
            listed(pair(text, scalar))(condition),
        )

    def to_json(self) -> list[JSON]:
        """Return it as JSON values."""
        return [self.name, *(_plain(each) for each in (self.path, self.type, self.arguments, self.condition))]


@dataclass(frozen=True)
class StudyFacts:
    """What a study says of itself. None is what studies of older versions do not say.

    Attributes:
        rules: by what it is judged.
        scale: the factor by which data and tree shrink, above 0 and at most 1.
        reference_values: value of every option in the reference, in base units at full size.
        ranges: least and largest value of each numeric axis of the space, in base units at full size.
        searched: names of the axes of the space.
        sampler: name of the sampler of the search.
        missing: options of the catalogue that the build lacks.
        factors: what varies over its runs, for an analysis.
        bundles: names of factors that a constraint ties together.
        workload: what is asked of the engine.
        builds: the builds beside its own, by arm; empty where all runs use the study's own.
        in_code: what the user's own configuration has beyond its OPTIONS file.
        from_files: what property files of YCSB fixed, and what of them is without effect, in sentences.
        column_family: the one of the user's OPTIONS file that was tuned; empty where that is "default".
        whole_file: the user's OPTIONS file with all its families, where it is another than "default"; else empty.
        search_space: the parameters of a command of the user's own; None for engines.
        further: fields that this lsmtune does not know, as they are.
    """

    rules: Rules
    scale: Fraction | None = None
    reference_values: Mapping[str, Value] | None = None
    ranges: Mapping[str, tuple[float, float]] | None = None
    searched: tuple[str, ...] | None = None
    sampler: str | None = None
    missing: tuple[str, ...] | None = None
    factors: tuple[Factor, ...] | None = None
    bundles: tuple[tuple[str, ...], ...] | None = None
    workload: WorkloadFacts | None = None
    builds: Mapping[str, ArmBuild] = field(default_factory=dict)
    in_code: tuple[InCode, ...] = ()
    from_files: tuple[str, ...] = ()
    column_family: str = ""
    whole_file: str = ""
    search_space: tuple[ParameterFacts, ...] | None = None
    further: Mapping[str, JSON] = field(default_factory=dict)

    @classmethod
    def of(cls, description: StudyDescription) -> "StudyFacts":
        """Return the facts of a study.

        Raises:
            StudyError: what is stored cannot be read.
        """
        return stored(f'the description of study "{description.name}"', cls.from_json, description.facts)

    @classmethod
    def from_json(cls, value: Any) -> "StudyFacts":
        """Return what `to_json` wrote, now or in an older version.

        Raises:
            MisreadError: the value is none.
        """
        fields = Object(value)
        return cls(
            rules=fields.need("rules", Rules.from_json),
            scale=fields.get("scale", fraction, None),
            reference_values=fields.get("reference_values", mapped(scalar), None),
            ranges=fields.get("ranges", mapped(pair(number, number)), None),
            searched=fields.get("searched", listed(text), None),
            sampler=fields.get("sampler", optional(text), None),
            missing=fields.get("missing", listed(text), None),
            factors=fields.get("factors", listed(Factor.from_json), None),
            bundles=fields.get("bundles", listed(listed(text)), None),
            workload=fields.get("workload", WorkloadFacts.from_json, None),
            builds=fields.get("builds", mapped(ArmBuild.from_json), {}),
            in_code=fields.get("in_code", listed(InCode.from_json), ()),
            from_files=fields.get("from_files", listed(text), ()),
            column_family=fields.get("column_family", text, ""),
            whole_file=fields.get("whole_file", text, ""),
            search_space=fields.get("search_space", listed(ParameterFacts.from_json), None),
            further=fields.beyond(cls.__dataclass_fields__),
        )

    def to_json(self) -> dict[str, JSON]:
        """Return them as JSON values, without what is not said."""
        builds = {arm: _plain(build.to_json()) for arm, build in self.builds.items()}
        return {"rules": self.rules.to_json(), **({"builds": builds} if builds else {}), **self.about()}

    def about(self) -> dict[str, JSON]:
        """Return all but the rules and the builds as JSON values."""
        said: dict[str, Any] = {
            "in_code": tuple(each.to_json() for each in self.in_code) or None,
            "from_files": self.from_files or None,
            "column_family": self.column_family or None,
            "whole_file": self.whole_file or None,
            "scale": None if self.scale is None else str(self.scale),
            "reference_values": self.reference_values,
            "ranges": self.ranges,
            "searched": self.searched,
            "sampler": self.sampler,
            "missing": self.missing,
            "factors": None if self.factors is None else [each.to_json() for each in self.factors],
            "bundles": self.bundles,
            "workload": None if self.workload is None else self.workload.to_json(),
            "search_space": None if self.search_space is None else [each.to_json() for each in self.search_space],
        }
        return {**{name: _plain(value) for name, value in said.items() if value is not None}, **self.further}


def ranges_of(space: Space) -> dict[str, tuple[float, float]]:
    """Return the least and the largest value of each numeric axis of a space."""
    return {
        axis.name: (axis.low, axis.high) for axis in space.dimensions if axis.low is not None and axis.high is not None
    }


def _plain(value: Any) -> JSON:
    """Return tuples as lists and mappings as dicts, so that what is written equals what is read."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value
