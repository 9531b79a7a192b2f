"""Which builds the arms of a comparison run on, where they are not all the study's own."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from lsmtune.backends import build_of
from lsmtune.backends.registry import catalogue_of
from lsmtune.codec import JSON, MisreadError, Object, listed, mapped, scalar, text, truth
from lsmtune.model import EngineBuild, Value
from lsmtune.units import format_bytes


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
    def from_json(cls, value: Any) -> "ArmBuild":
        """Return what `to_json` wrote.

        Raises:
            MisreadError: the value is no such build.
        """
        fields = Object(value)
        return cls(
            fields.need("name", text),
            fields.need("build", lambda build: build_of(Object(build))),
            fields.need("reference_values", mapped(scalar)),
            fields.need("defaults", listed(_default)),
            fields.need("on_demand", truth),
        )

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


def spelled(value: Value, unit: str) -> str:
    """Return an option's value as people write it: sizes with their unit."""
    if isinstance(value, bool):
        return str(value).lower()
    return format_bytes(value) if unit == "B" and not isinstance(value, str) and value >= 0 else str(value)


def _default(value: Any) -> tuple[str, Value, Value]:
    fields = listed(scalar)(value)
    if len(fields) != 3:
        raise MisreadError("is not an option and two defaults")
    name, before, after = fields
    return text(name), before, after
