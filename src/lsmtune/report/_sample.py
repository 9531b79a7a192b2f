"""What a sample holds so far: its runs, how they ended, and how much the reference varied."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Group, RenderableType
from rich.text import Text

from lsmtune.analysis import Runs
from lsmtune.errors import StatisticsError
from lsmtune.lint import Finding
from lsmtune.model import Purpose, Status, StudyKind
from lsmtune.report._findings import findings_json, findings_parts
from lsmtune.report._tables import plain_table, section
from lsmtune.report._values import format_indicator, label, percent
from lsmtune.stats import NoiseFloor, noise_floor, pooled_floor
from lsmtune.units import format_seconds

_PURPOSES = (Purpose.BASELINE, Purpose.ANCHOR, Purpose.SAMPLE, Purpose.TEST)
_STATUSES = (Status.OK, Status.CENSORED, Status.FAILED, Status.DISTURBED, Status.SPOILED)
_SHOWN = (
    "waf",
    "space_bytes",
    "load_time_s",
    "throughput_bytes_s",
    "throughput_ops_s",
    "max_rate_ops_s",
    "latency_p99_s",
)


def sample_card(runs: Runs, folder: Path, findings: Sequence[Finding]) -> RenderableType:
    """Return the card of a sample: counts, the spread of the reference, what the linter found, what comes next."""
    took_s = float(runs.frame["elapsed_s"].sum())
    parts: list[RenderableType] = [Text(f"{len(runs)} runs in {format_seconds(took_s)}", style="bold"), *_counts(runs)]
    floors = _floors(runs)
    if floors:
        table = plain_table("indicator", "reference", "varies by", "runs")
        for name, floor in floors.items():
            middle = format_indicator(name, floor.mean)
            table.add_row(label(name), middle, percent(floor.sd_log), str(floor.n))
        parts += [section("The reference over the sample"), table]
    parts += findings_parts(findings)
    parts.append(Text(f"Next: lsmtune analyze {shlex.quote(str(folder))}", style="dim"))
    if runs.facts.kind is StudyKind.REPRODUCE:
        parts.append(
            Text(f"or, beside the paper: lsmtune reproduce {shlex.quote(str(folder / 'runs.parquet'))}", style="dim")
        )
    return Group(*parts)


def sample_json(runs: Runs, findings: Sequence[Finding]) -> dict[str, Any]:
    """Return a sample as JSON values: counts by purpose and status, spread of the reference, the linter's findings."""
    return {
        "runs": len(runs),
        "run_time_s": float(runs.frame["elapsed_s"].sum()),
        "counts": _count(runs),
        "factors": [factor.name for factor in runs.factors],
        "reference": {
            name: {"geometric_mean": floor.mean, "sd_log": floor.sd_log, "n": floor.n}
            for name, floor in _floors(runs).items()
        },
        **findings_json(findings),
    }


def _counts(runs: Runs) -> list[RenderableType]:
    table = plain_table("purpose", *(str(status) for status in _STATUSES))
    for purpose, counts in _count(runs).items():
        table.add_row(purpose, *(str(counts.get(str(status), 0)) for status in _STATUSES))
    return [table]


def _count(runs: Runs) -> dict[str, dict[str, int]]:
    counted = runs.frame.groupby(["purpose", "status"]).size()
    return {
        str(purpose): {
            str(status): int(counted.get((str(purpose), str(status)), 0))
            for status in _STATUSES
            if (str(purpose), str(status)) in counted.index
        }
        for purpose in _PURPOSES
        if str(purpose) in counted.index.get_level_values(0)
    }


def _floors(runs: Runs) -> Mapping[str, NoiseFloor]:
    reference = runs.facts.reference
    own = runs.of(Purpose.BASELINE, Purpose.ANCHOR)
    own = own.where((own.frame["arm"] == reference).to_numpy() & own.counting())
    hosts = own.frame["host"].to_numpy(dtype=object)
    found = {name: _floor(own.indicator(name), hosts) for name in _SHOWN if name in own.indicators}
    return {name: floor for name, floor in found.items() if floor is not None}


def _floor(values: npt.NDArray[np.float64], hosts: npt.NDArray[Any]) -> NoiseFloor | None:
    """Return how much runs differ, those of several hosts within each; None where no host has two."""
    floors = []
    for host in dict.fromkeys(hosts.tolist()):
        own = values[hosts == host]
        try:
            floors.append(noise_floor(own[~np.isnan(own)].tolist()))
        except StatisticsError:
            continue  # fewer than two runs
    return pooled_floor(floors) if floors else None
