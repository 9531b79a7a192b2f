"""A file of recorded sets, and the four questions that are asked of each."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from lsmtune.errors import UsageError
from lsmtune.sampler_benchmark._benchmark import SamplerBenchmark

_SPACE, _MEMORY = ("space_bytes", "1.10x"), ("memory_peak_bytes", "1.00x")
_NEEDED = {"name", "use", "objective", "mean"}
_KNOWN = {*_NEEDED, "runs"}


class Use(StrEnum):
    """What a recorded set is for: samplers are changed for what they find on some, and judged on others."""

    DEVELOPMENT = "development"
    JUDGING = "judging"


@dataclass(frozen=True)
class RecordedSet:
    """Recorded runs, and what is asked of them.

    Attributes:
        name: of the set.
        use: what it is for.
        runs: its table.
        objective: the indicator that is to get better by itself, and under guards.
        mean: weights of the indicators that are to get better together.
    """

    name: str
    use: Use
    runs: Path
    objective: str
    mean: tuple[tuple[str, float], ...]

    def benches(self, how: SamplerBenchmark) -> Iterator[SamplerBenchmark]:
        """Yield the four questions: one indicator; with space guarded; with memory guarded; a weighted mean.

        Args:
            how: it is asked; what is asked is the set's.
        """
        alone = ((self.objective, 1.0),)
        for kind, objective, guards in (
            ("rate", alone, ()),
            ("space", alone, (_SPACE,)),
            ("memory", alone, (_MEMORY,)),
            ("mean", self.mean, ()),
        ):
            yield replace(how, source=self.runs, objective=objective, guards=guards, name=f"{self.name}, {kind}")


def read_sets(path: Path) -> tuple[RecordedSet, ...]:
    """Read a file with a table ``[[set]]`` for each recorded set.

    Raises:
        UsageError: it cannot be read, or a table lacks a key or has one that is not known.
    """
    try:
        tables = tomllib.loads(path.read_text()).get("set", [])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read as a file of recorded sets: {error}") from None
    if not tables:
        raise UsageError(f"{path} has no recorded set; write [[set]] with name, use, objective and mean")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise UsageError(f"{path}: set is no list of tables; write [[set]] with name, use, objective and mean")
    return tuple(_set(path, table) for table in tables)


def _set(path: Path, table: Mapping[str, Any]) -> RecordedSet:
    name = str(table.get("name", "?"))
    missing, unknown = sorted(_NEEDED - table.keys()), sorted(table.keys() - _KNOWN)
    if missing or unknown:
        wrong = f'lacks "{missing[0]}"' if missing else f'has "{unknown[0]}", which is not known'
        raise UsageError(f'{path}: the set "{name}" {wrong}; it has {", ".join(sorted(_KNOWN))}')
    if table["use"] not in list(Use):
        raise UsageError(f'{path}: the set "{name}" has use "{table["use"]}"; write one of {", ".join(Use)}')
    mean = table["mean"]
    if not isinstance(mean, dict) or not all(type(weight) in (int, float) for weight in mean.values()):
        raise UsageError(
            f'{path}: mean of the set "{name}" is no table of weights; write it like {{ latency_p99_s = 2, waf = 1 }}'
        )
    runs = path.parent / str(table.get("runs", f"sets/{name}/runs.parquet"))
    weights = tuple((str(indicator), float(weight)) for indicator, weight in mean.items())
    return RecordedSet(name, Use(table["use"]), runs, str(table["objective"]), weights)
