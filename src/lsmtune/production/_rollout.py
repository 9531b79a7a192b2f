"""Whether a service runs what a study found, and whether its figures are those that the study saw."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from lsmtune.backends.registry import backend_of, catalogue_of
from lsmtune.backends.rocksdb import OptionsFile, derived_values, own_value, read_families
from lsmtune.errors import UsageError
from lsmtune.model import FRESH, Status, Value
from lsmtune.production._configured import logs_of, newest_of, options_files
from lsmtune.production._reader import read_service
from lsmtune.production._service_log import DEFAULT, Opening, ServiceLog
from lsmtune.result import TuneResult
from lsmtune.space import Catalogue
from lsmtune.store import Study

_CACHE_OPTION, _CACHE_LINE = "cache_size", "block_cache_options.capacity"
_FIRST_LEVEL, _CODEC = "min_level_to_compress", "compression_type"
_HIT, _MISS = "rocksdb.block.cache.hit", "rocksdb.block.cache.miss"


class OptionState(StrEnum):
    """What a service makes of a change that a study found."""

    AS_EXPORTED = "as exported"
    AS_BEFORE = "as before"
    OTHER = "neither"
    UNKNOWN = "not told"


@dataclass(frozen=True)
class OptionCheck:
    """A change that a study found, and what the service runs.

    Values that are words for others, as 0 often is, are what RocksDB makes of them.

    Attributes:
        option: its name in the catalogue.
        unit: of its values.
        before: the reference's value; None where the study did not keep it.
        exported: what the study hands over, at full size.
        here: the service's value; None where its files do not tell.
        source: file that tells it.
    """

    option: str
    unit: str
    before: Value | None
    exported: Value
    here: Value | None
    source: str

    @property
    def state(self) -> OptionState:
        """What the service makes of it."""
        if self.here is None:
            return OptionState.UNKNOWN
        if _same(self.here, self.exported):
            return OptionState.AS_EXPORTED
        is_before = self.before is not None and _same(self.here, self.before)
        return OptionState.AS_BEFORE if is_before else OptionState.OTHER


@dataclass(frozen=True)
class FigureCheck:
    """A figure of the service beside what the study's fresh runs of the exported configuration had.

    Attributes:
        indicator: its name.
        claimed: the values of these runs, in base units.
        here: the service's.
        means: how the service's figure is made, where that is not how the study's is.
    """

    indicator: str
    claimed: tuple[float, ...]
    here: float
    means: str

    @property
    def factor(self) -> float:
        """The service's value over the nearest of the runs; 1 within their range; infinite above a largest of 0."""
        low, high = min(self.claimed), max(self.claimed)
        nearest = min(max(self.here, low), high)
        if nearest == self.here:
            return 1.0
        return self.here / nearest if nearest else float("inf")


@dataclass(frozen=True)
class Rollout:
    """What a service makes of a study's result.

    Attributes:
        study: its name.
        family: the column family that was looked at.
        version: of the service's engine; empty where its files do not tell.
        measured_version: of the engine that the study measured.
        scale: of the study, as ``1/64``.
        options: the changes, in the study's order.
        figures: what can be compared.
        missing: what cannot be told, in sentences.
    """

    study: str
    family: str
    version: str
    measured_version: str
    scale: str
    options: tuple[OptionCheck, ...]
    figures: tuple[FigureCheck, ...]
    missing: tuple[str, ...]

    @property
    def runs_it(self) -> bool:
        """Whether every change is told and is as exported."""
        return all(each.state is OptionState.AS_EXPORTED for each in self.options)

    @property
    def agrees(self) -> bool:
        """Whether every figure lies in the range of the study's runs."""
        return all(each.factor == 1 for each in self.figures)


def check_rollout(paths: Sequence[Path], study: Study, result: TuneResult, family: str = DEFAULT) -> Rollout:
    """Hold what a service runs, and what its LOG says, against a study.

    Args:
        paths: the folder of a database, or its OPTIONS file and LOGs; only read.
        study: where the result comes from, open.
        result: what it says.
        family: the column family that was to run it.

    Raises:
        UsageError: the study is of an engine without OPTIONS files, or there is nothing to read.
    """
    if not backend_of(result.build).takes_options_file:
        raise UsageError(
            f'the study "{result.description.name}" is of {result.build.engine}, which writes no OPTIONS files; check '
            "its service by hand"
        )
    options_file, log, missing = _files(paths)
    opening = None if log is None else log.last
    catalogue = catalogue_of(result.build.engine)
    here = {} if options_file is None else _values(options_file, catalogue, family)
    source = "" if options_file is None else options_file.name
    asked = {**result.reference_values, **{change.option: change.after for change in result.changes}}
    beside = {**asked, **here}
    as_asked = {**beside, _CODEC: asked.get(_CODEC, "")}
    checks = []
    for change in result.changes:
        value, told_by = here.get(change.option), source
        if value is None and opening is not None:
            value, told_by = _in_log(opening, change.option, family), "LOG"
        checks.append(
            OptionCheck(
                change.option,
                catalogue.option(change.option).unit,
                None if change.before is None else _as_opened(change.option, change.before, as_asked),
                _as_opened(change.option, change.after, as_asked),
                None if value is None else _derived(change.option, value, beside),
                "" if value is None else told_by,
            )
        )
    return Rollout(
        study=result.description.name,
        family=family,
        version=_version(opening, options_file),
        measured_version=result.build.version,
        scale=str(result.facts.scale or 1),
        options=tuple(checks),
        figures=tuple(_figures(opening, study, result, family)) if opening is not None else (),
        missing=(*missing, *_not_told(opening)),
    )


def _files(paths: Sequence[Path]) -> tuple[Path | None, ServiceLog | None, list[str]]:
    """Return the newest OPTIONS file and what the LOGs say, as far as there are such, and what is missing."""
    options = options_files(paths)
    others = logs_of(paths, options)
    missing, log = [], None
    if others:
        try:
            log = read_service(others)
        except UsageError as error:
            if not options:
                raise
            missing.append(f"No figures: {error}.")
    else:
        missing.append("No figures: no LOG was given.")
    if not options:
        missing.append("The configuration: no OPTIONS file was given; give the folder of the database.")
    return newest_of(options), log, missing


def _values(path: Path, catalogue: Catalogue, family: str) -> Mapping[str, Value]:
    """Return what an OPTIONS file says of a column family.

    Raises:
        UsageError: it cannot be read, or has no such family.
    """
    try:
        file = OptionsFile.parse(path.read_text("utf-8", "replace"), str(path))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}; check who may read it") from None
    families = read_families(file, catalogue.options.values(), file.version or "")
    if family not in families:
        raise UsageError(f'{path} has no column family "{family}"; choose one of {", ".join(families)}')
    return families[family]


def _as_opened(option: str, value: Value, beside: Mapping[str, Value]) -> Value:
    """Return what a database has that was opened with a value of the tools beside other options."""
    return _derived(option, own_value(option, value), beside)


def _derived(option: str, value: Value, beside: Mapping[str, Value]) -> Value:
    """Return what RocksDB makes of an option in an OPTIONS file beside others: of some it derives a 0.

    A list of compressors without a level that is not compressed, or without a compressor, is as none.
    """
    if option == _FIRST_LEVEL and (value == 0 or beside.get(_CODEC) == "none"):
        return -1
    return derived_values({**beside, option: value}).get(option, value)


def _in_log(opening: Opening, option: str, family: str) -> Value | None:
    """Return the value of an option that no OPTIONS file holds, as the LOG printed it when the database was opened."""
    text = opening.families.get(family, {}).get(_CACHE_LINE, "") if option == _CACHE_OPTION else ""
    return int(text) if text.isdecimal() else None


def _version(opening: Opening | None, options_file: Path | None) -> str:
    if opening is not None and opening.version:
        return opening.version
    if options_file is None:
        return ""
    return OptionsFile.parse(options_file.read_text("utf-8", "replace"), str(options_file)).version or ""


def _figures(opening: Opening, study: Study, result: TuneResult, family: str) -> Iterator[FigureCheck]:
    """Yield the indicators that both the LOG's last dump and the fresh runs of the final configuration have."""
    dump = opening.dump
    if dump is None:
        return
    stats = dump.families.get(family)
    total = None if stats is None else stats.total
    here: dict[str, tuple[float | None, str]] = {
        "waf_table": (None if total is None else total.figures.get("W-Amp"), "since the database was opened"),
        "stall_share": (
            None if dump.stall_percent is None else dump.stall_percent / 100,
            "of the time that it was open, idle or not",
        ),
        "cache_hit_ratio": (_hit_ratio(dump.tickers), "since the database was opened"),
    }
    runs = [
        stored.run.id
        for stored in study.runs()
        if stored.status is Status.OK and stored.run.purpose in FRESH and stored.run.configuration == result.final
    ]
    for name, (value, means) in here.items():
        seen = study.indicator(name)
        claimed = tuple(seen[run] for run in runs if run in seen)
        if value is not None and claimed:
            yield FigureCheck(name, claimed, value, means)


def _hit_ratio(tickers: Mapping[str, int]) -> float | None:
    hits, misses = tickers.get(_HIT, 0), tickers.get(_MISS, 0)
    return hits / (hits + misses) if hits + misses else None


def _not_told(opening: Opening | None) -> Iterator[str]:
    if opening is not None and opening.dump is None:
        yield "No figures: the LOG has no statistics; set stats_dump_period_sec to 600, or wait for the first."


def _same(one: Value, other: Value) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        return not (isinstance(one, str) or isinstance(other, str)) and abs(one - other) <= 1e-6 * abs(other)
    return one == other
