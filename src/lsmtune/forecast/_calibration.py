"""What was measured of a host and a build for the model of a tree, as a file."""

import os
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from lsmtune.errors import UsageError
from lsmtune.lsm_model.tree import Costs, Rules
from lsmtune.model import EngineBuild, HostFacts

_HEAD = "# What lsmtune calibrate measured; lsmtune predict --host takes it to another machine."


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
            costs = dict(table.pop("costs"))
            costs["write_us"] = tuple((float(size), float(time)) for size, time in costs["write_us"])
            costs["rules"] = Rules(costs.get("rules", Rules.ROCKSDB))
            older = [each.name for each in fields(Costs) if each.name not in costs]
            costs["assumed"] = (*(str(name) for name in costs["assumed"]), *older)
            return cls(**table, costs=_checked(Costs(**costs)))
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
