"""What is asked of a measurement, whatever the tool, before the rules of `lsmtune.lint` judge it."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from lsmtune.lint import DataRead, Finding
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


def read_at_scale(
    data_bytes: int, cache_bytes: float, catalogue: Catalogue, scale: Fraction, *, direct: bool
) -> DataRead:
    """Return what the reads of a run can find in memory.

    Args:
        data_bytes: of all keys and values of the run.
        cache_bytes: of the block cache, at full size.
        catalogue: says whether the cache shrinks.
        scale: of the run.
        direct: the engine reads past the page cache.
    """
    option = catalogue.options.get("cache_size")
    at_scale = int(cache_bytes) if option is None else int(scaled_value(option, int(cache_bytes), scale))
    return DataRead(data_bytes, at_scale, direct)


def facts_of(read: DataRead | None) -> Mapping[str, str]:
    """Return what reads can find in memory as facts of a measurement; none where nothing is read."""
    return {} if read is None else read.facts()
