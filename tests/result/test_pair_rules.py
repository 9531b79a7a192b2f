"""What runs that did not go well say of a candidate."""

import math
from dataclasses import replace

import pytest
from result_builders import Made, history, pairs, rules

from lsmtune.indicators import Guard
from lsmtune.model import Configuration, Purpose, Status
from lsmtune.result import Comparison, Contest, History, Rules, Standing, compare
from lsmtune.stats import POCOCK_ALPHA, Decision, GuardVerdict

STOCK: list[float | None] = [100.0, 101.0, 99.0, 100.5, 99.5, 100.0]
BETTER: list[float | None] = [120.0, 121.0, 119.0, 120.0, 120.5, 119.5]
CONTEST = Contest(Purpose.VERIFY, "stock", ("finalist-1",))
VALUES = (("max_write_buffer_number", 4),)


def made_with(stopped: dict[tuple[str, int], float], judged: Rules | None = None) -> History:
    """Six pairs; the runs in `stopped`, by arm and block, passed a cap of so many seconds; all others took 10.3 s."""
    found = history(*pairs({"stock": STOCK, "finalist-1": BETTER}), judged=judged)
    runs = []
    for stored in found.runs:
        bound_s = stopped.get((stored.run.arm, stored.run.block or 0))
        status = stored.status if bound_s is None else Status.CENSORED
        runs.append(replace(stored, status=status, bound_s=bound_s, elapsed_s=bound_s or 10.3))
    columns = {name: dict(column) for name, column in found.measured.items()}
    columns["total_time_s"] = {stored.run.id: 10.0 for stored in runs}
    return History(tuple(runs), columns)


def compared(made: History, judged: Rules | None = None) -> Comparison:
    (found,) = compare(made, judged or rules(), CONTEST, 1)
    return found


def test_a_stopped_run_of_the_candidate_counts_at_its_bound() -> None:
    found = compared(made_with({("finalist-1", 2): 30.3}))
    assert found.claim.n == 6
    assert found.gains[2] == pytest.approx(-math.log(3.0))  # 30 s of work at least, beside 0.3 s, against 10 s
    assert found.troubles.stopped == 1
    assert not found.troubles.bars
    assert found.guards["space_bytes"].verdict is GuardVerdict.INCONCLUSIVE  # nobody knows what it would have taken


def test_a_stopped_run_of_the_reference_speaks_for_the_candidate_up_to_its_bound() -> None:
    found = compared(made_with({("stock", 2): 30.3}))
    assert found.gains[2] == pytest.approx(math.log(3.0))
    assert found.troubles.reference_stopped == 1


def test_where_the_cap_stopped_both_nothing_is_known_of_the_pair() -> None:
    found = compared(made_with({("stock", 2): 30.3, ("finalist-1", 2): 30.3}))
    assert (found.claim.n, len(found.gains), found.troubles.both_stopped) == (5, 5, 1)


def test_where_the_cap_stopped_all_runs_no_difference_is_excluded() -> None:
    nothing = compared(made_with({(arm, block): 30.3 for arm in ("stock", "finalist-1") for block in range(6)}))
    assert (nothing.claim.decision, nothing.claim.n, nothing.claim.gain) == (Decision.INCONCLUSIVE, 0, None)


def test_where_the_bound_says_nothing_of_the_objective_a_stopped_run_bars() -> None:
    untimed = replace(rules(), timed=False)
    found = compared(made_with({("finalist-1", 2): 30.3}), untimed)
    assert found.claim.n == 5
    assert found.troubles.unbounded == 1
    assert found.standing is Standing.REFUSED


def test_where_the_bound_says_nothing_of_the_objective_a_stopped_run_of_the_reference_costs_its_pair() -> None:
    untimed = replace(rules(), timed=False)
    found = compared(made_with({("stock", 2): 30.3}), untimed)
    assert (found.claim.n, found.troubles.reference_stopped, found.troubles.reference_unbounded) == (5, 1, 1)
    assert compared(made_with({("stock", 2): 30.3})).troubles.reference_unbounded == 0


def test_a_failed_run_bars_and_gives_its_reason() -> None:
    failing: list[float | None] = [*BETTER[:5], None]
    runs = pairs({"stock": STOCK, "finalist-1": failing})
    runs[-1 if runs[-1].arm == "finalist-1" else -2] = Made(
        Purpose.VERIFY, "finalist-1", 5, None, None, Status.FAILED, reason="it crashed"
    )
    found = compared(history(*runs))
    assert found.troubles.failures == ("it crashed",)
    assert found.standing is Standing.REFUSED


def test_what_was_spoiled_by_others_costs_its_pair_alone() -> None:
    runs = [
        replace(each, status=Status.SPOILED, rate=None) if (each.arm, each.block) == ("finalist-1", 5) else each
        for each in pairs({"stock": STOCK, "finalist-1": BETTER})
    ]
    found = compared(history(*runs))
    assert (found.claim.n, found.troubles.bars, found.accepted) == (5, False, True)


def test_a_run_of_the_reference_that_went_well_the_second_time_makes_its_pair() -> None:
    runs = pairs({"stock": STOCK, "finalist-1": BETTER})
    failed = Made(Purpose.VERIFY, "stock", 0, None, None, Status.FAILED, reason="the host went down")
    found = compared(history(failed, *runs))
    assert (found.claim.n, found.accepted) == (6, True)


def test_a_failure_while_changes_are_taken_back_bars_the_winner() -> None:
    fresh = [
        replace(each, values=VALUES) if each.arm == "finalist-1" else each
        for each in pairs({"stock": STOCK, "finalist-1": BETTER})
    ]
    later = Made(Purpose.PRUNE, "1:with", 0, None, None, Status.FAILED, VALUES, "it crashed later")
    assert compared(history(*fresh)).accepted
    assert compared(history(*fresh, later)).troubles.failures == ("it crashed later",)
    other = replace(later, values=(("max_write_buffer_number", 8),))
    assert not compared(history(*fresh, other)).troubles.failures


@pytest.mark.parametrize(
    ("reference", "candidate", "verdict"),
    [
        ([0.0] * 6, [0.0] * 6, GuardVerdict.HELD),
        ([0.0] * 6, [0.0] * 5 + [0.4], GuardVerdict.BROKEN),
        ([1.0, 0.0, 2.0, 1.0, 1.5, 1.2], [0.1, 0.0, 0.2, 0.0, 0.1, 0.1], GuardVerdict.HELD),
        ([0.0, 0.5, 0.0, 0.1, 0.0, 0.2], [0.4, 0.0, 0.1, 0.0, 0.3, 0.0], GuardVerdict.INCONCLUSIVE),
    ],
)
def test_a_guard_on_what_may_be_nothing(reference: list[float], candidate: list[float], verdict: GuardVerdict) -> None:
    judged = replace(rules(), guards=(Guard("stall_time_s", 1.10),))
    found = history(*pairs({"stock": STOCK, "finalist-1": BETTER}), judged=judged)
    columns = {name: dict(column) for name, column in found.measured.items()}
    for stored in found.runs:
        values = reference if stored.run.arm == "stock" else candidate
        columns["stall_time_s"][stored.run.id] = values[stored.run.block or 0]
    assert compared(History(found.runs, columns), judged).guards["stall_time_s"].verdict is verdict


def test_an_open_guard_accepts_nothing_and_asks_for_more_looks() -> None:
    spaces = {"finalist-1": [90.0, 130.0, 95.0, 125.0, 100.0, 110.0]}
    found = compared(history(*pairs({"stock": STOCK, "finalist-1": BETTER}, spaces)))
    assert found.guards["space_bytes"].verdict is GuardVerdict.INCONCLUSIVE
    assert found.standing is Standing.UNDECIDED
    assert not found.accepted
    assert found.is_open


@pytest.mark.parametrize("status", [Status.OK, Status.DISTURBED])
def test_a_missing_objective_is_counted_and_not_dropped_in_silence(status: Status) -> None:
    runs = pairs({"stock": STOCK, "finalist-1": BETTER})
    place = next(k for k, each in enumerate(runs) if (each.arm, each.block) == ("finalist-1", 3))
    runs[place] = replace(runs[place], rate=None, status=status)
    found = compared(history(*runs))
    assert (found.claim.n, found.troubles.unknown) == (5, 1)


def test_the_configuration_of_the_reference_itself_is_never_barred_by_others() -> None:
    same = pairs({"stock": STOCK, "finalist-1": BETTER})
    elsewhere = Made(Purpose.CONFIRM, "stock", 0, None, None, Status.FAILED)
    assert Configuration(()) == history(*same).runs[0].run.configuration
    assert not compared(history(*same, elsewhere)).troubles.bars


@pytest.mark.parametrize("others", [0, 2])
def test_what_is_expected_of_other_hosts_has_the_share_of_the_level_that_the_claim_has(others: int) -> None:
    made = history(*pairs({"stock": STOCK, "finalist-1": BETTER}))
    runs = (replace(each, run=replace(each.run, host=f"bench-{(each.run.block or 0) % 5}")) for each in made.runs)
    (found,) = compare(replace(made, runs=tuple(runs)), rules(), replace(CONTEST, others=others), 1)
    assert found.claim.family == 1 + others
    assert found.hosts is not None
    assert found.hosts.likely is not None
    assert found.hosts.likely.level == pytest.approx(1 - POCOCK_ALPHA / found.claim.family)
