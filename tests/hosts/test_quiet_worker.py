"""What wakes a worker that waits beside a run: its heartbeats alone, as often as its scheduler asks for them."""

import asyncio
from pathlib import Path

import dask
import pytest

from lsmtune.executors.hosts import _serve


def settled(folder: Path, missed_s: float) -> tuple[dict[str, float], float]:
    """The clocks of a worker by name, in s, once it was told the pace; and how often silent ones are sought."""

    async def look() -> tuple[dict[str, float], float]:
        at_loopback = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "dashboard": False}
        async with (
            _serve._Scheduler(missed_s, port=0, **at_loopback) as scheduler,
            _serve._Worker(
                scheduler.address,
                nthreads=1,
                memory_limit=0,
                heartbeat_interval="20ms",
                local_directory=str(folder),
                **at_loopback,
            ) as worker,
        ):
            clocks = worker.periodic_callbacks
            while clocks["heartbeat"].callback_time == 20:
                await asyncio.sleep(0.01)
            worker.find_missing()
            running = {name: clock.callback_time / 1000 for name, clock in clocks.items() if clock.is_running()}
            return running, scheduler.periodic_callbacks["worker-ttl"].callback_time / 1000

    with dask.config.set(_serve._SETTINGS):
        return asyncio.run(asyncio.wait_for(look(), 60))


@pytest.mark.parametrize(("missed_s", "heartbeat_s", "sought_s"), [(60.0, 20.0, 10.0), (12.0, 4.0, 2.0)])
def test_a_worker_is_woken_by_heartbeats_alone(
    missed_s: float, heartbeat_s: float, sought_s: float, tmp_path: Path
) -> None:
    clocks, sought = settled(tmp_path, missed_s)
    assert clocks == {"heartbeat": heartbeat_s, "find-missing": heartbeat_s, "keep-alive": 60.0}
    assert sought == pytest.approx(sought_s)
