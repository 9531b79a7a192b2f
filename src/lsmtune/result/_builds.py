"""Which builds the arms of a comparison run on, where they are not all the study's own."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lsmtune.backends.registry import catalogue_of
from lsmtune.model import EngineBuild, Value
from lsmtune.store import JSON, StudyDescription
from lsmtune.units import format_bytes

BUILDS = "builds"
"""Name of the study's fact that holds them, by arm; absent where all runs use the study's own build."""


@dataclass(frozen=True)
class ArmBuild:
    """Another build that an arm runs on.

    Attributes:
        name: what the user calls the arm, or its version.
        build: the build; its flags are not kept.
        reference_values: value of every option under the reference's configuration with this build, at full size.
        defaults: options that neither arm sets and whose defaults differ: name, value with the study's own build, value
            with this one.
        on_demand: it was named on the command line, and is not part of the experiment.
    """

    name: str
    build: EngineBuild
    reference_values: Mapping[str, Value]
    defaults: tuple[tuple[str, Value, Value], ...] = ()
    on_demand: bool = False

    @classmethod
    def of_json(cls, fields: Mapping[str, Any]) -> "ArmBuild":
        """Return what `to_json` wrote."""
        about = fields["build"]
        kept = {**about, "path": Path(about["path"])}
        build = EngineBuild(**{**kept, "compressors": tuple(about["compressors"]), "flags": ()})
        defaults = tuple((name, before, after) for name, before, after in fields["defaults"])
        return cls(fields["name"], build, fields["reference_values"], defaults, fields["on_demand"])

    def to_json(self) -> dict[str, JSON]:
        """Return it as JSON values."""
        about = {name: value for name, value in asdict(self.build).items() if name != "flags"}
        return {
            "name": self.name,
            "build": {**about, "path": str(self.build.path)},
            "reference_values": dict(self.reference_values),
            "defaults": [list(each) for each in self.defaults],
            "on_demand": self.on_demand,
        }

    def defaults_sentence(self, own: EngineBuild) -> str:
        """Say which defaults differ between the study's own build and this one; empty where none does."""
        if not self.defaults:
            return ""
        units = {option.name: option.unit for option in catalogue_of(own.engine).options.values()}
        listed = ", ".join(
            f"{name} {spelled(before, units.get(name, ''))} -> {spelled(after, units.get(name, ''))}"
            for name, before, after in self.defaults
        )
        between = f"{own.version} and {self.build.version}"
        if own.version == self.build.version:
            between = f'the reference and "{self.name}"'
        number = len(self.defaults)
        noun = "the default of 1 option differs" if number == 1 else f"the defaults of {number} options differ"
        return f"{noun} between {between}: {listed}"


def read_builds(description: StudyDescription) -> dict[str, ArmBuild]:
    """Return the other builds that a study compares, by arm; empty where all runs use its own."""
    kept: Any = description.facts.get(BUILDS, {})
    return {arm: ArmBuild.of_json(fields) for arm, fields in kept.items()}


def spelled(value: Value, unit: str) -> str:
    """Return an option's value as people write it: sizes with their unit."""
    if isinstance(value, bool):
        return str(value).lower()
    return format_bytes(value) if unit == "B" and not isinstance(value, str) and value >= 0 else str(value)
