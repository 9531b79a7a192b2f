"""How much user data the tables of FIFO compaction hold, which deletes what is beyond a limit."""

from collections.abc import Mapping, Sequence

from lsmtune.lsm_model.tree._costs import Costs
from lsmtune.lsm_model.tree._forecast import Outcome
from lsmtune.lsm_model.tree._plan import Machine, plan_of
from lsmtune.lsm_model.tree._writes import Writes
from lsmtune.model import Value

_ELSEWHERE, _ONE_CORE = Costs(), Machine(1)


def held_bytes(options: Mapping[str, Value], phases: Sequence[Writes], last: Outcome | None = None) -> int | None:
    """Return the user bytes that tables hold under FIFO compaction, of each key as often as a table has it.

    None under another style, whose tables hold each key about once, and where nothing is written.

    Args:
        options: values by name, in base units, at the size of the phases.
        phases: of writes.
        last: what they come to; where it is None, all counts that the limit of size leaves, as nothing says how old it
            is and what is merged.
    """
    if options.get("compaction_style") != "fifo" or not phases:
        return None
    if last is not None:
        return round(sum(sum(run.sets) for run in last.shape.runs) * phases[-1].pair_bytes)
    held, room = 0.0, phases[-1].fifo.most_bytes
    for phase in reversed(phases):  # the newest stay
        plan = plan_of(options, phase, _ELSEWHERE, _ONE_CORE)[0]
        stored = float((1 - phase.deletes) * plan["entry"][0] + phase.deletes * plan["tombstone"][0])
        count = min(float(phase.operations), room / stored)
        held += count * (1 - phase.deletes) * phase.pair_bytes
        room -= count * stored
    return round(held)
