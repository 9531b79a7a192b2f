"""Frozen values of the model as JSON text, and back.

The JSON is part of the schema: a field added to `EngineBuild` or `HostFacts` needs a default or a migration.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from lsmtune.model import Configuration, EngineBuild, HostFacts, Measurement, Overridden, Value


def dump(value: object) -> str:
    """Return compact JSON; characters outside of ASCII, lone surrogates too, are escaped."""
    return json.dumps(value, separators=(",", ":"))


def build_to_json(build: EngineBuild) -> str:
    """Return the JSON object of a build."""
    return dump({**asdict(build), "path": str(build.path)})


def build_from_json(text: str) -> EngineBuild:
    """Return the build that `build_to_json` wrote."""
    fields = json.loads(text)
    fields["path"] = Path(fields["path"])
    fields["compressors"] = tuple(fields["compressors"])
    fields["flags"] = tuple((flag, default) for flag, default in fields["flags"])
    return EngineBuild(**fields)


def host_to_json(host: HostFacts) -> str:
    """Return the JSON object of a host."""
    return dump(asdict(host))


def host_from_json(text: str) -> HostFacts:
    """Return the host that `host_to_json` wrote."""
    return HostFacts(**json.loads(text))


def items_from_json(text: str) -> tuple[tuple[str, Value], ...]:
    """Return the items of a configuration from ``[[option, value], ...]``."""
    return tuple((option, value) for option, value in json.loads(text))


def effective_configuration(measurement: Measurement | None) -> Configuration | None:
    """Return what the engine used as a configuration; None where it was not read back."""
    if measurement is None or not measurement.effective:
        return None
    return Configuration.of(measurement.effective)


def measurement_to_json(measurement: Measurement) -> tuple[str, str, str]:
    """Return the JSON of overridden options, warnings and facts."""
    overridden = [[entry.option, entry.asked, entry.effective, entry.reason] for entry in measurement.overridden]
    return dump(overridden), dump(measurement.warnings), dump(dict(measurement.facts))


def measurement_from_json(
    indicators: Mapping[str, float | None], effective: Mapping[str, Value], texts: tuple[str, str, str]
) -> Measurement:
    """Return the measurement whose overridden options, warnings and facts `measurement_to_json` wrote."""
    overridden, warnings, facts = (json.loads(text) for text in texts)
    return Measurement(
        indicators=indicators,
        effective=effective,
        overridden=tuple(Overridden(*entry) for entry in overridden),
        warnings=tuple(warnings),
        facts=facts,
    )


def number_of(told: object) -> float | None:
    """Return the number that a fact is or spells; None where it is something else."""
    try:
        number = float(told) if isinstance(told, int | float | str) else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None
