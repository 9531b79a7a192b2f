"""Stored studies whose runs have LOGs of real engines."""

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lsmtune.model import Configuration, Measurement, Outcome, Purpose, Run, Status
from lsmtune.result import ArmBuild, checkpoints
from lsmtune.store import Study, create_study
from lsmtune.testing import fake_description, fake_rules, fake_space

FIXTURES = Path(__file__).parents[1] / "fixtures"
ROCKSDB = gzip.decompress((FIXTURES / "db_bench-7.8.3" / "LOG.txt.gz").read_bytes()).decode()
LEVELDB = gzip.decompress((FIXTURES / "leveldb_bench" / "fill_and_reads.LOG.txt.gz").read_bytes()).decode()
LARGER = Configuration.of({"write_buffer_size": 128 << 20})
_ARMS = {"stock": Configuration(), "finalist-1": LARGER, "finalist-2": LARGER}


def measured(
    study: Study,
    purpose: Purpose,
    arm: str,
    artefacts: Mapping[str, str],
    block: int | None = None,
    more: Mapping[str, float] = {},
) -> int:
    """Store a good run with what it left, and `more` indicators than two, and return its number."""
    run = study.plan(Run(0, purpose, arm, block, _ARMS.get(arm, Configuration()), 1, 1))
    study.start(run)
    rate = (1300.0 if arm == "finalist-1" else 1000.0) + run.id
    indicators = Measurement({"throughput_settled_ops_s": rate, "space_bytes": 1e6, **more})
    study.finish(run, Outcome(Status.OK, 1.7e9, 2.0, "", indicators, artefacts=artefacts))
    return run.id


def empty(folder: Path, engine: str = "rocksdb", others: Sequence[str] = (), other: str = "rocksdb") -> Study:
    """Make a study without runs; the arms `others` have a build each, of the engine `other`."""
    description = fake_description(fake_rules(), fake_space())
    elsewhere = replace(description.build, engine=other)
    builds = {arm: ArmBuild(f"build of {arm}", elsewhere, {}).to_json() for arm in others}
    facts: dict[str, Any] = {**description.facts, **({"builds": builds} if builds else {})}
    return create_study(folder, replace(description, build=replace(description.build, engine=engine), facts=facts))


def finished(folder: Path) -> Path:
    """Store runs of the reference (1, 2, 4) and of the winner (3), and one without a LOG (5); then the other pairs."""
    with empty(folder) as made:
        measured(made, Purpose.BASELINE, "stock", {"measure.LOG": ROCKSDB, "settle.LOG": ROCKSDB})
        measured(made, Purpose.VERIFY, "stock", {"measure.LOG": ROCKSDB}, 5)
        measured(made, Purpose.VERIFY, "finalist-1", {"measure.LOG": ROCKSDB}, 5)
        measured(made, Purpose.VERIFY, "stock", {"measure.LOG": ROCKSDB}, 6)
        measured(made, Purpose.TRIAL, "trial-1", {"measure.stdout": "nothing"})
        for block in range(5):
            for arm in ("stock", "finalist-1"):
                measured(made, Purpose.VERIFY, arm, {}, block)
        made.save(checkpoints.FINALISTS, ("trial-1",))
        made.save(checkpoints.VERIFY_LOOKS, 1)
        made.save(checkpoints.WINNER, "finalist-1")
    return folder
