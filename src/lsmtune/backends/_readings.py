"""What is asked of a measurement, whatever the tool, before the rules of `lsmtune.lint` judge it."""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from lsmtune.lint import CacheBlocks, DataRead, Finding
from lsmtune.model import Configuration, Value
from lsmtune.space import Catalogue, scaled_value


def number_of(
    name: str, effective: Mapping[str, Value], configuration: Configuration, defaults: Mapping[str, Value]
) -> float:
    """Return the numeric value of an option: effective, else as asked, else the default; 0 if there is none."""
    value = effective.get(name, configuration.values.get(name, defaults.get(name)))
    return float(value) if isinstance(value, int | float) else 0.0


def lines_of(findings: Iterable[Finding | None]) -> tuple[str, ...]:
    """Return the lines that a measurement is stored with."""
    return tuple(str(finding) for finding in findings if finding is not None)


def read_at_scale(data_bytes: int, option: Callable[[str], float], catalogue: Catalogue, scale: Fraction) -> DataRead:
    """Return what the reads of a run can find in memory.

    Args:
        data_bytes: of all keys and values of the run.
        option: gives the value of an option at full size, 0 where there is none.
        catalogue: says whether the cache shrinks.
        scale: of the run.
    """
    cache, size = catalogue.options.get("cache_size"), int(option("cache_size"))
    at_scale = size if cache is None else int(scaled_value(cache, size, scale))
    blocks = CacheBlocks(at_scale, size, int(option("block_size")))
    return DataRead(data_bytes, at_scale, option("use_direct_reads") > 0, blocks)


def facts_of(read: DataRead | None) -> Mapping[str, str]:
    """Return what reads can find in memory as facts of a measurement; none where nothing is read."""
    return {} if read is None else read.facts()
