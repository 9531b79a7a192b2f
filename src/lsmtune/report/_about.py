"""Where results come from, in words: engine build, machine, workload."""

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from lsmtune.model import HostFacts
from lsmtune.result import (
    StudyFacts,
    TuneResult,
    WorkloadFacts,
    build_words,
    own_words,
)
from lsmtune.units import format_bytes, format_count, plural


def engine_rows(result: TuneResult) -> list[tuple[str, str]]:
    """Name the engine build of a study, and those that it is compared with."""
    rows = [("engine", build_words(result.description.build))]
    others = [("against", f"{each.name}: {build_words(each.build)}") for each in result.builds.values()]
    return [*rows, *dict.fromkeys(others)]  # several arms of a sweep share one


def own_rows(result: TuneResult) -> list[tuple[str, str]]:
    """Name what the user's own configuration has beyond its OPTIONS file, and what property files fixed."""
    in_code = result.facts.in_code
    is_reference = result.rules.reference in ("options_file", "options")
    rows = [("reference" if is_reference else "starting point", own_words(in_code, result.rules))] if in_code else []
    if result.facts.whole_file:
        rows.append(("family", f'column family "{result.facts.column_family}" of the OPTIONS file, run by itself'))
    return [*rows, *(("files", sentence) for sentence in result.facts.from_files)]


def host_words(host: HostFacts) -> str:
    """Describe a machine: processor, memory, disk, kernel."""
    return (
        f"{host.name}: {host.processor}, {plural(host.cores, 'core')}, {format_bytes(host.memory_bytes)} memory, "
        f"{host.filesystem} with {format_bytes(host.disk_free_bytes)} free, Linux {host.kernel}"
    )


def workload_words(facts: StudyFacts) -> str:
    """Describe the workload of a study; what the study does not say is left out."""
    workload = facts.workload or WorkloadFacts()
    parts = []
    phases = [*(workload.load or ()), *(workload.benchmarks or ())]
    if phases:
        parts.append(", then ".join(phases))
    if workload.keys is not None:
        sizes = [workload.key_size_bytes, workload.value_size_bytes]
        pair = " + ".join(format_bytes(size) for size in sizes if size is not None)
        parts.append(f"{format_count(workload.keys)} keys" + (f" of {pair}" if pair else ""))
    if workload.threads is not None:
        parts.append(plural(workload.threads, "thread"))
    if workload.keeps is not None:
        parts.append(f"largest rate with {workload.keeps}")
    if workload.reopens:
        parts.append("opened anew for each phase")
    if workload.settle is not None:
        parts.append(f"settle: {workload.settle}")
    if facts.scale is not None:
        parts.append(f"scale {facts.scale}")
    return ", ".join(parts) or "?"


def facts_grid(rows: Iterable[tuple[str, str]]) -> Table:
    """Return lines of a name and what is to be said of it."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, words in rows:
        grid.add_row(Text(name), Text(words))
    return grid


def bullets(sentences: Iterable[str], style: str = "") -> Table:
    """Return sentences as a list."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for sentence in sentences:
        grid.add_row(Text("-"), Text(sentence, style=style))
    return grid
