"""What was measured of a host and a build for the model of a tree, as a file."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from lsmtune.codec import Object, Reader, anything, listed, mapped, member, number, pair, text, whole
from lsmtune.errors import UsageError
from lsmtune.lsm_model.tree import Costs, Rules
from lsmtune.model import EngineBuild, HostFacts

_HEAD = "# What lsmtune calibrate measured; lsmtune predict --host takes it to another machine."

_COSTS: Mapping[str, Reader[Any]] = {
    **{each.name: number for each in fields(Costs) if isinstance(each.default, float)},
    "write_us": listed(pair(number, number)),
    "codec_ns": mapped(number),
    "assumed": listed(text),
    "rules": member(Rules),
    "origin": text,
}
_FIELDS: Mapping[str, Reader[Any]] = {
    **dict.fromkeys(("host", "host_name", "build", "version", "made"), text),
    "cores": whole,
    "costs": lambda table: _typed(table, _COSTS),
}


@dataclass(frozen=True)
class Calibration:
    """Costs with what they belong to.

    Attributes:
        host: fingerprint of the machine.
        host_name: its name.
        cores: that it has for the engine.
        build: fingerprint of the engine's build.
        version: of the engine.
        made: when, ISO 8601.
        costs: what was measured.
    """

    host: str
    host_name: str
    cores: int
    build: str
    version: str
    made: str
    costs: Costs

    def text(self) -> str:
        """Return the file."""
        head = [f'{name} = "{getattr(self, name)}"' for name in ("host", "host_name", "build", "version", "made")]
        lines = [_HEAD, *head, f"cores = {self.cores}", "", "[costs]"]
        for each in fields(Costs):
            value = getattr(self.costs, each.name)
            if each.name == "write_us":
                lines.append(f"write_us = [{', '.join(f'[{size:.0f}, {time:.4g}]' for size, time in value)}]")
            elif each.name == "assumed":
                lines.append(f"assumed = [{', '.join(f'{chr(34)}{name}{chr(34)}' for name in value)}]")
            elif each.name == "codec_ns":
                continue
            else:
                lines.append(f"{each.name} = {_written(value)}")
        lines += ["", "[costs.codec_ns]", *(f"{name} = {ns:.4g}" for name, ns in self.costs.codec_ns.items())]
        return "\n".join(lines) + "\n"

    @classmethod
    def read(cls, path: Path) -> "Calibration":
        """Read a file.

        Raises:
            UsageError: it cannot be read, or is not one.
        """
        try:
            table = tomllib.loads(path.read_text())
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{path} is no TOML: {error}; write one with lsmtune calibrate --output FILE") from None
        try:
            head = _typed(table, _FIELDS)
            costs: dict[str, Any] = {"rules": Rules.ROCKSDB, **head.pop("costs")}
            older = [each.name for each in fields(Costs) if each.name not in costs]
            costs["assumed"] = (*costs["assumed"], *older)
            return cls(**head, costs=_checked(Costs(**costs)))
        except (TypeError, ValueError, KeyError) as error:
            raise UsageError(
                f"{path} is no calibration ({error}); write one with lsmtune calibrate --output FILE"
            ) from None


def kept_at(host: HostFacts, build: EngineBuild) -> Path:
    """Return where the calibration of a host and build is kept."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "lsmtune" / "calibrations" / f"{host.fingerprint}-{build.fingerprint[:16]}.toml"


def kept(host: HostFacts, build: EngineBuild) -> Calibration | None:
    """Return the calibration of a host and build; None where there is none.

    Raises:
        UsageError: its file is broken.
    """
    path = kept_at(host, build)
    return Calibration.read(path) if path.is_file() else None


def _typed(table: Any, readers: Mapping[str, Reader[Any]]) -> dict[str, Any]:
    """Return a table with each value as its reader reads it; of what has no reader, as it is.

    Raises:
        MisreadError: a value is of another kind than its reader's, or there is no table.
    """
    known = Object(table)
    return {name: known.need(name, readers.get(name, anything)) for name in table}


def _written(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else f"{value:.6g}"


def _checked(costs: Costs) -> Costs:
    for each in fields(Costs):
        value = getattr(costs, each.name)
        if isinstance(value, int | float) and not value >= 0:
            raise ValueError(f"{each.name} is {value}")
    if not costs.write_us:
        raise ValueError("write_us is empty")
    return costs
