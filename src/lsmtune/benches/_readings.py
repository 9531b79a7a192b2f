"""What is asked of a measurement, whatever the tool, before the rules of `lsmtune.lint` judge it."""

from collections.abc import Iterable, Mapping

from lsmtune.lint import DataRead, Finding
from lsmtune.model import Configuration, Value


def number_of(
    name: str, effective: Mapping[str, Value], configuration: Configuration, defaults: Mapping[str, Value]
) -> float:
    """Return the numeric value of an option: effective, else as asked, else the default; 0 if there is none."""
    value = effective.get(name, configuration.values.get(name, defaults.get(name)))
    return float(value) if isinstance(value, int | float) else 0.0


def lines_of(findings: Iterable[Finding | None]) -> tuple[str, ...]:
    """Return the lines that a measurement is stored with."""
    return tuple(str(finding) for finding in findings if finding is not None)


def facts_of(read: DataRead | None) -> Mapping[str, str]:
    """Return what reads can find in memory as facts of a measurement; none where nothing is read."""
    return {} if read is None else read.facts()
