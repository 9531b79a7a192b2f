"""Which options of a service differ from the defaults of its version."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lsmtune.production._defaults import OF_THE_MACHINE, defaults_of
from lsmtune.production._service_log import Opening

_DATABASE = "database"


@dataclass(frozen=True)
class Difference:
    """An option that is not at its default.

    Attributes:
        of: the column family in brackets, or ``database``.
        option: its name in the LOG.
        default: of the version; empty where that has no such option.
        here: what the LOG says.
    """

    of: str
    option: str
    default: str
    here: str


@dataclass(frozen=True)
class Differences:
    """What differs, and what is not known.

    Attributes:
        against: the version whose defaults are known and nearest, with a word where it is not the service's own.
        options: those that differ.
        unknown: those that this version does not have.
    """

    against: str
    options: tuple[Difference, ...]
    unknown: tuple[Difference, ...]


def differences_of(opening: Opening) -> Differences | None:
    """Return what differs from the defaults of the version; None where the LOG says no version or no options."""
    if not opening.version or not opening.options:
        return None
    defaults = defaults_of(opening.version)
    found = list(_of(_DATABASE, opening.options, defaults.database))
    for name, options in opening.families.items():
        found += _of(f"[{name}]", options, defaults.family)
    near = "" if defaults.version == opening.version else f", the nearest to {opening.version} that is known"
    return Differences(
        f"RocksDB {defaults.version}{near}",
        tuple(each for each in found if each.default),
        tuple(each for each in found if not each.default),
    )


def _of(name: str, options: Mapping[str, str], defaults: Mapping[str, str]) -> Iterator[Difference]:
    for option, here in options.items():
        default = defaults.get(option, "")
        if default not in (OF_THE_MACHINE, here):
            yield Difference(name, option, default, here)
