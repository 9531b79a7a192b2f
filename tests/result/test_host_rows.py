"""What each host did for a study."""

from dataclasses import replace
from pathlib import Path

import pytest
from result_builders import Made, baseline, history, pairs, rules

from lsmtune.model import Purpose
from lsmtune.result import History, HostTable
from lsmtune.result._host_rows import host_table
from lsmtune.store import create_study
from lsmtune.testing import fake_description, fake_space

RATES = (100.0, 101.0, 99.0, 100.5, 99.5)


def on_hosts(*made: tuple[str, Made]) -> History:
    """The history of these runs, each on the host that stands before it."""
    found = history(*(each for _, each in made))
    runs = zip(found.runs, (host for host, _ in made), strict=True)
    return replace(found, runs=tuple(replace(each, run=replace(each.run, host=host)) for each, host in runs))


def table_of(folder: Path, seen: History) -> HostTable:
    with create_study(folder, fake_description(rules(), fake_space())) as study:
        table = host_table(study, seen, rules())
    assert table is not None
    return table


@pytest.mark.parametrize("further", [0, 5])
def test_noise_and_drift_of_a_host_are_known_although_others_made_blocks_alone(tmp_path: Path, further: int) -> None:
    single = [("lab-1", baseline(block, rate)) for block, rate in enumerate(RATES)]
    single += [("lab-2", baseline(block, 2 * rate)) for block, rate in enumerate(RATES[:further])]
    blocks = [("lab-2", made) for made in pairs({"stock": [200.0, 201.0], "finalist-1": [240.0, 238.0]})]
    first, second = table_of(tmp_path / "s", on_hosts(*single, *blocks)).rows
    assert (first.name, first.runs, second.name, second.runs) == ("lab-1", 5, "lab-2", 4 + further)
    assert first.noise is not None
    assert first.noise.n == 5
    assert first.drift is not None
    assert (second.noise is None, second.drift is None) == (not further, not further)


def test_blocks_alone_tell_neither_noise_nor_drift(tmp_path: Path) -> None:
    made = pairs({"stock": [100.0, 101.0, 99.0], "finalist-1": [120.0, 119.0, 121.0]})
    assert {each.purpose for each in made} == {Purpose.VERIFY}
    seen = on_hosts(*((f"lab-{1 + (each.block or 0) % 2}", each) for each in made))
    assert [(row.noise, row.drift) for row in table_of(tmp_path / "s", seen).rows] == [(None, None)] * 2
