"""A run: one execution of a workload under a configuration with a seed."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from lsmtune.model._configuration import Configuration, Value


class Purpose(StrEnum):
    """Why a run was made; runs of one purpose are never used for another's claim."""

    BASELINE = "baseline"
    """A starting point, measured first; the reference's repeats give the noise floor."""
    ANCHOR = "anchor"
    """The reference again, among the trials, to measure drift."""
    TRIAL = "trial"
    """A configuration that a sampler proposed."""
    RUNG = "rung"
    """A trial, or the reference, with less data; decides only which trials are worth a whole run."""
    SAMPLE = "sample"
    """A point of a design: what models are fitted to."""
    TEST = "test"
    """A point of another design: models are judged by it and never fitted to it."""
    STEP = "step"
    """A fresh run with or without the change of a step, in a randomised block."""
    VERIFY = "verify"
    """A fresh run of a finalist or of the reference, in a randomised block."""
    PRUNE = "prune"
    """A fresh run of the winner or of the final configuration, or of one of them with changes reverted."""
    CONFIRM = "confirm"
    """A fresh run of the chosen configuration, of what is left of it, or of the reference, in a randomised block."""
    CLIMB = "climb"
    """A fresh run of a finalist or of the reference at a larger scale than the study's, in a randomised block."""


FRESH = frozenset({Purpose.STEP, Purpose.VERIFY, Purpose.PRUNE, Purpose.CONFIRM, Purpose.CLIMB})
"""Purposes of the runs in which arms are compared, block by block."""

WHOLE = Fraction(1)
"""The rung of all runs at the scale of the study itself."""

HOST_BLOCKS = 10_000_000
"""How far apart blocks of the reference on different hosts are numbered, so that none of two hosts is taken for one."""


@dataclass(frozen=True)
class Run:
    """One execution, as planned and written to the store before it starts.

    Attributes:
        id: number in its study, from 1, given when it is planned; also the order in which runs were planned.
        purpose: see `Purpose`.
        arm: what it stands for within its purpose, for example ``"db_bench"``, ``"finalist-2"``, ``"-bloom_bits"``.
        block: number of its comparison block; None outside of blocks.
        configuration: what is set, at full size.
        seed: db_bench's seed, never 0 (0 means "from the clock").
        load_seed: seed of the loading phase, the same for all runs that share loaded data: those of one block, or of
            one group of trials.
        scenario: fields of the workload with the values that they have in this run alone, sorted by field; empty
            where the workload is the study's.
        rung: its scale over the study's, above 0: below 1 for `Purpose.RUNG`, above 1 for `Purpose.CLIMB`, else 1.
        host: name of the host that it is made on; empty until somebody knows it.
    """

    id: int
    purpose: Purpose
    arm: str
    block: int | None
    configuration: Configuration
    seed: int
    load_seed: int
    scenario: tuple[tuple[str, Value], ...] = ()
    rung: Fraction = WHOLE
    host: str = ""

    @property
    def repeat(self) -> int | None:
        """The number of its block on its host; of comparison blocks, which no two hosts share, the block itself."""
        return None if self.block is None else self.block % HOST_BLOCKS
