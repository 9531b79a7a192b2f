"""The doctor's card: what was found on this machine, how noisy it is, and what can be claimed here."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from lsmtune.indicators import indicator
from lsmtune.model import Ability, EngineBuild, HostFacts, Value
from lsmtune.report._about import bullets, facts_grid, host_words
from lsmtune.report._tables import plain_table, section
from lsmtune.report._values import (
    detectable_gain,
    format_indicator,
    format_option,
    label,
    listed,
    percent,
    percent_range,
)
from lsmtune.result import build_words
from lsmtune.stats import Detectable, NoiseFloor
from lsmtune.units import format_bytes, format_seconds, plural

_NOISY = 0.10
_LITTLE_DISK_BYTES = 10 << 30
_USUAL_READAHEAD_BYTES = 128 << 10
_LONG_READAHEAD_BYTES = 1 << 20
_USUAL_COMPRESSORS = ("snappy", "lz4", "zstd")
_MOST_NAMES = 12

SINGLE_CLAIM = (
    "The gains are for a single claim: of one candidate, without guards. Candidates that are verified together share "
    "the level, so each needs a larger gain or more pairs; guards may need more, too."
)
"""What the gains of `detectable_table` are of."""


@dataclass(frozen=True)
class ProgramNoise:
    """How noisy a further program is on this machine.

    Attributes:
        name: of the program, with the engine that it drives.
        build: that engine.
        noise, detectable, runs: see `DoctorFacts`.
        reason: why the noise could not be measured; empty where it was, or was not asked for.
    """

    name: str
    build: EngineBuild
    noise: Mapping[str, NoiseFloor]
    detectable: Mapping[str, Mapping[int, Detectable]]
    runs: int
    reason: str = ""


@dataclass(frozen=True)
class DoctorFacts:
    """What the doctor found.

    Attributes:
        build: the engine build.
        host: this machine.
        missing: names of the catalogue's options that the build lacks.
        changed_defaults: options whose default is another than the catalogue's: (name, catalogue's, binary's).
        noise: spread of repeated runs by indicator; empty where none were made.
        detectable: by indicator, the smallest gain that a number of pairs can show.
        runs: number of runs that the noise was measured from.
        elapsed_s: time that the examination took in s.
        advice: sentences on what to do, see `doctor_advice`.
        driven: what lsmtune's own driver drives, a build for each engine; empty where there is no driver.
        found: how the build was found, in words; empty where that is not known.
        others: the other programs that were found, in the order in which they were looked for.
        abilities: what runs can be held to here; empty where it was not tried.
    """

    build: EngineBuild
    host: HostFacts
    missing: tuple[str, ...]
    changed_defaults: tuple[tuple[str, Value, Value], ...]
    noise: Mapping[str, NoiseFloor]
    detectable: Mapping[str, Mapping[int, Detectable]]
    runs: int
    elapsed_s: float
    advice: tuple[str, ...]
    driven: tuple[EngineBuild, ...] = ()
    found: str = ""
    others: tuple[ProgramNoise, ...] = ()
    abilities: tuple[Ability, ...] = ()


def doctor_card(facts: DoctorFacts) -> RenderableType:
    """Return the card of what the doctor found."""
    return Group(*_parts(facts))


def doctor_advice(
    build: EngineBuild,
    host: HostFacts,
    noise: Mapping[str, NoiseFloor],
    detectable: Mapping[str, Mapping[int, Detectable]],
    data_bytes: int | None = None,
    abilities: Sequence[Ability] = (),
) -> tuple[str, ...]:
    """Say what stands in the way of good results on this machine, each in a sentence with its remedy.

    Args:
        build: the engine build.
        host: this machine.
        noise: spread of repeated runs by indicator.
        detectable: by indicator, the smallest gain that a number of pairs can show.
        data_bytes: user bytes that a workload writes, after the scale; None where no workload is meant.
        abilities: what runs can be held to here; none where it was not tried.
    """
    found = [*_advice_on_build(build), *_advice_on_host(host, data_bytes), *_advice_on_limits(abilities)]
    found += [_advice_on_noise(name, floor, detectable.get(name, {})) for name, floor in noise.items()]
    return tuple(sentence for sentence in found if sentence)


def _advice_on_build(build: EngineBuild) -> Iterator[str]:
    if build.assertions:
        yield (
            f"{build.path} checks assertions, which slows it down by a share that differs between options: build an "
            "optimised one with lsmtune build rocksdb (docs/how-to/building-engines.md), or give the path of yours "
            "with --db-bench."
        )
    missing = [name for name in _USUAL_COMPRESSORS if name not in build.compressors]
    if missing and build.compressors:
        yield (
            f"The build cannot use {listed(missing)}: compression, often the option that matters most, is searched "
            f"over {listed(['none', *(name for name in build.compressors if name != 'none')])} only."
        )


def _advice_on_host(host: HostFacts, data_bytes: int | None) -> Iterator[str]:
    if host.cores == 1:
        yield (
            "There is a single core: client, flushes and compactions take turns on it, so options of parallelism show "
            "no effect here; use a machine with more cores for them."
        )
    if host.disk_free_bytes < _LITTLE_DISK_BYTES:
        yield (
            f"Only {format_bytes(host.disk_free_bytes)} of disk are free: take a smaller scale, or set [host] scratch "
            "to a larger disk."
        )
    ahead_bytes = host.readahead_bytes or 0
    if ahead_bytes > _LONG_READAHEAD_BYTES:
        yield (
            f"The disk reads {format_bytes(ahead_bytes)} ahead, where "
            f"{format_bytes(_USUAL_READAHEAD_BYTES)} are usual: LevelDB, which maps its files into memory, reads that "
            "much around each block that the page cache lacks, and is many times slower where data exceeds memory; as "
            "root, write "
            f"{_USUAL_READAHEAD_BYTES >> 10} to /sys/block/DISK/queue/read_ahead_kb."
        )
    if data_bytes is not None and data_bytes < host.memory_bytes:
        yield (
            f"The data ({format_bytes(data_bytes)}) fits into memory ({format_bytes(host.memory_bytes)}): reads come "
            "from the page cache, so options that save reads gain less here than with data beyond memory."
        )


def _advice_on_limits(abilities: Sequence[Ability]) -> Iterator[str]:
    works = {each.name for each in abilities if each.how}
    for each in abilities:
        if each.name in works:
            continue
        if each.name == "memory":
            instead = (
                'write page_cache = "direct" under [host]'
                if "direct I/O" in works
                else "take a machine with less memory"
            )
            yield (
                f"Memory of runs cannot be limited, as {each.trouble}: run lsmtune as root, or where control groups "
                "may be written (a container that is given them, systemd-run --user --scope), so that a scaled run has "
                f"a scaled page cache; else {instead}."
            )
        elif each.name == "bandwidth":
            yield (
                f"Bandwidth of runs cannot be limited, as {each.trouble}: leave read_bandwidth and write_bandwidth "
                "out, or run lsmtune as root with its data on a disk of its own."
            )
        else:
            yield (
                f"Direct I/O does not work, as {each.trouble}: set scratch under [host] to a disk with a file system "
                "such as ext4 or XFS where it is wanted."
            )


def _advice_on_noise(name: str, floor: NoiseFloor, detectable: Mapping[int, Detectable]) -> str:
    if floor.sd_log <= _NOISY or not detectable or indicator(name).unit in ("ratio", "B"):
        return ""
    pairs, seen = max(detectable.items())
    return (
        f"Claims about {label(name)} below {detectable_gain(seen)} are infeasible here, even with {pairs} pairs, as "
        f"equal runs vary by {percent(floor.sd_log)} (n = {floor.n}): tune for write amplification or space, quieten "
        "the machine, or make runs longer."
    )


def _parts(facts: DoctorFacts) -> Iterator[RenderableType]:
    colour = "yellow" if facts.advice else "green"
    title = Text.assemble("lsmtune doctor: ", (_headline(facts), f"bold {colour}"))
    about = [("engine", build_words(facts.build)), *([("found", facts.found)] if facts.found else [])]
    about += [("host", host_words(facts.host)), *_option_rows(facts)]
    about.append(("driver", _driver_words(facts.driven)))
    if facts.abilities:
        about.append(("limits", "; ".join(f"{each.name}: {each.how or 'no'}" for each in facts.abilities)))
    also = (other for other in facts.others if other.build not in facts.driven)
    about += [("also", f"{other.name}: {build_words(other.build)}") for other in also]
    about.append(("runs", f"{plural(facts.runs, 'run')} for the noise, {format_seconds(facts.elapsed_s)} in all"))
    yield Panel(facts_grid(about), title=title, title_align="left", border_style=colour)
    yield from _all_noise(facts)
    if facts.changed_defaults:
        yield Text()
        yield Group(section("Defaults of this build that differ from the catalogue's"), _defaults(facts))
    if facts.advice:
        yield Text()
        yield Group(section("Advice"), bullets(facts.advice))


def _all_noise(facts: DoctorFacts) -> Iterator[RenderableType]:
    yield from _noise_parts(facts, "Noise, and the smallest gains that pairs of runs can show")
    for other in facts.others:
        yield from _noise_parts(other, f"Noise of {other.name}, {plural(other.runs, 'run')}")
        if other.reason:
            yield Text()
            yield Group(section(f"Noise of {other.name}"), Text(other.reason))
    programs: list[DoctorFacts | ProgramNoise] = [facts, *facts.others]
    if any(each.noise and each.detectable for each in programs):
        yield Text()
        yield Text(SINGLE_CLAIM)


def _noise_parts(found: DoctorFacts | ProgramNoise, title: str) -> Iterator[RenderableType]:
    if found.noise:
        yield Text()
        yield Group(section(title), _noise(found.noise))
        if found.detectable:
            yield Text()
            yield detectable_table(found.detectable)


def _headline(facts: DoctorFacts) -> str:
    return plural(len(facts.advice), "thing") + " to consider" if facts.advice else "nothing in the way"


def _driver_words(driven: Sequence[EngineBuild]) -> str:
    if not driven:
        return "none for YCSB and LevelDB; lsmtune build driver builds one"
    engines = [f"{build.engine} {build.version}{', assertion build' if build.assertions else ''}" for build in driven]
    return f"{'; '.join(engines)}, {driven[0].path}"


def _option_rows(facts: DoctorFacts) -> list[tuple[str, str]]:
    if not facts.missing:
        return [("options", "the build has all options of the catalogue")]
    shown = ", ".join(facts.missing[:_MOST_NAMES])
    more = len(facts.missing) - _MOST_NAMES
    return [("options", f"the build lacks {shown}" + (f" and {more} more" if more > 0 else ""))]


def _noise(floors: Mapping[str, NoiseFloor]) -> Table:
    table = plain_table("noise of", "level", "spread [95.0 %]", "n", "", right=(1, 3))
    for name, floor in floors.items():
        table.add_row(
            Text(label(name)),
            Text(format_indicator(name, floor.mean)),
            Text(percent_range(floor.sd_log, floor.sd_low, floor.sd_high)),
            Text(str(floor.n)),
            Text("noisy" if floor.sd_log > _NOISY else "", style="yellow"),
        )
    return table


def detectable_table(detectable: Mapping[str, Mapping[int, Detectable]]) -> Table:
    """Show the smallest gains that numbers of pairs can show, by indicator."""
    looks = sorted({pairs for gains in detectable.values() for pairs in gains})
    table = plain_table("gains from [95.0 %]", *(f"{pairs} pairs" for pairs in looks))
    for name, gains in detectable.items():
        cells = (detectable_gain(gains[pairs]) if pairs in gains else "?" for pairs in looks)
        table.add_row(Text(label(name)), *(Text(cell) for cell in cells))
    return table


def _defaults(facts: DoctorFacts) -> Table:
    table = plain_table("option", "catalogue", "build", right=(1, 2))
    for name, known, found in facts.changed_defaults:
        table.add_row(Text(name), Text(format_option(known)), Text(format_option(found)))
    return table
