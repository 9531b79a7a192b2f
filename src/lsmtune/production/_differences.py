"""Which options of a service differ from the defaults of its version."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from lsmtune.production._defaults import OF_THE_MACHINE, defaults_of
from lsmtune.production._service_log import Opening, ServiceLog, ServiceOptions

DATABASE = "database"
OFF = ("0", "false")
"""What a LOG and an OPTIONS file write of a switch."""
_BOOLEANS = {"true": 1.0, "false": 0.0}
_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?", re.ASCII)
_NOTHING = ""
_NOTHINGS = frozenset({"nullptr", "null", "none", "(nil)", "no", "disable", "disabled", "unknown"})


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


def differences_of(opening: Opening, file: ServiceOptions | None = None) -> Differences | None:
    """Return what differs from the defaults of the version; None where nothing says version and options.

    Args:
        opening: what the LOG says.
        file: an OPTIONS file, which counts where the LOG does not say options.
    """
    if opening.version and opening.options:
        version, database, families, of = opening.version, opening.options, opening.families, _of
    elif file is not None and file.version:
        version, database, families, of = file.version, file.database, file.families, _of_file
    else:
        return None
    defaults = defaults_of(version)
    found = list(of(DATABASE, database, defaults.database))
    for name, options in families.items():
        found += of(f"[{name}]", options, defaults.family)
    near = "" if defaults.version == version else f", the nearest to {version} that is known"
    return Differences(
        f"RocksDB {defaults.version}{near}",
        tuple(each for each in found if each.default),
        tuple(each for each in found if not each.default),
    )


def changes_of(opening: Opening, file: ServiceOptions | None) -> tuple[Difference, ...]:
    """Return options that are otherwise now than the LOG said at the opening, whose value is `default`.

    An engine writes a new OPTIONS file whenever ``SetOptions`` or ``SetDBOptions`` changes something, and what they
    change stands in the LOG, too. What both write in words that cannot be compared is left out.
    """
    database: dict[str, str] = {**opening.set_later}
    families = {name: {**options} for name, options in opening.set_in_families.items()}
    if file is not None:
        database.update(file.database)
        for name, options in file.families.items():
            families.setdefault(name, {}).update(options)
    pairs: list[tuple[str, Mapping[str, str], Mapping[str, str]]] = [(DATABASE, opening.options, database)]
    pairs += [(f"[{name}]", opening.families.get(name, {}), options) for name, options in families.items()]
    return tuple(
        Difference(of, option, before[option], here)
        for of, before, now in pairs
        for option, here in now.items()
        if option in before and _are_same(before[option], here) is False
    )


def as_it_runs(log: ServiceLog) -> ServiceLog:
    """Return the log with the options that the last opening has now, as far as it is told what was changed since.

    Where the LOG has lost the beginning of the opening, they are those of the OPTIONS file.
    """
    opening, file = log.last, log.options_file
    if file is not None and not opening.product:
        known = replace(
            opening,
            version=file.version,
            options={**opening.options, **file.database},
            families={**opening.families, **file.families},
        )
        return replace(log, openings=(*log.openings[:-1], known))
    options = dict(opening.options)
    families = {name: dict(each) for name, each in opening.families.items()}
    for each in changes_of(opening, log.options_file):
        of = options if each.of == DATABASE else families[each.of.removeprefix("[").removesuffix("]")]
        of[each.option] = each.here
    return replace(log, openings=(*log.openings[:-1], replace(opening, options=options, families=families)))


def _of(name: str, options: Mapping[str, str], defaults: Mapping[str, str]) -> Iterator[Difference]:
    for option, here in options.items():
        default = defaults.get(option, "")
        if default not in (OF_THE_MACHINE, here):
            yield Difference(name, option, default, here)


def _of_file(name: str, options: Mapping[str, str], defaults: Mapping[str, str]) -> Iterator[Difference]:
    """Yield the same of an OPTIONS file, in which options have other words, and more names, than in a LOG."""
    for option, here in options.items():
        default = defaults.get(option, OF_THE_MACHINE)
        if default != OF_THE_MACHINE and _are_same(default, here) is False:
            yield Difference(name, option, default, here)


def _are_same(in_log: str, in_file: str) -> bool | None:
    """Whether a LOG and an OPTIONS file mean the same; None where one writes a number and the other a word."""
    one, other = _plain(in_log), _plain(in_file)
    if isinstance(one, float) is not isinstance(other, float):
        return None
    if "0x" in str(one):
        return None
    return one == other


def _plain(text: str) -> float | str:
    """Return a value without what only one of LOG and OPTIONS file writes: ``kLZ4Compression`` is ``LZ4`` there."""
    bare = text.strip()
    if bare in _BOOLEANS:
        return _BOOLEANS[bare]
    if _NUMBER.fullmatch(bare):
        return float(bare)
    bare = bare.partition(":")[0]
    bare = bare[1:] if bare[:1] == "k" and bare[1:2].isupper() else bare
    bare = bare.lower().removesuffix("option").removesuffix("compression")
    return _NOTHING if bare in _NOTHINGS else bare
