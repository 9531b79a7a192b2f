"""An exported text says up to which scale its configuration holds."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from export_builders import prepared, result

from lsmtune.exporters._base import ExportContext
from lsmtune.exporters._wording import origin, verdict
from lsmtune.result import AtScale, Climb, Climbing, ClimbStep, TuneResult

START = Fraction(1, 64)


def climbed(top: Fraction) -> TuneResult:
    """A result at 1/64 that holds at a larger scale."""
    found = result(prepared(Path()), {"bloom_bits": 10})
    climbing = Climbing(START, (top,), 0.3)
    seen = AtScale(ClimbStep("finalist-1", str(top), 1, 41.0, 12.0, 12), top, found.verified[0])
    return replace(found, climb=Climb(climbing, ("finalist-1",), (seen,)))


def context(found: TuneResult) -> ExportContext:
    study = prepared(Path())
    return ExportContext(found, study.build)


def test_the_verdict_names_the_scales() -> None:
    assert "Where it holds: improved at 1/64 and 1/16." in list(verdict(climbed(Fraction(1, 16))))


def test_a_finalist_that_was_taken_instead_has_the_scales_at_which_it_was_run() -> None:
    found = climbed(Fraction(1, 16))
    other = replace(found.verified[0], arm="finalist-2")
    chosen = replace(found.decisions, winner="finalist-2")
    instead = replace(found, verified=(*found.verified, other), decisions=chosen)
    assert "Where it holds: improved at 1/64; not tried at 1/16." in list(verdict(instead))


@pytest.mark.parametrize(("top", "unmeasured"), [(Fraction(1, 4), True), (Fraction(1), False)])
def test_that_nothing_was_measured_at_full_size_is_said_unless_something_was(top: Fraction, unmeasured: bool) -> None:
    assert ("nothing was measured" in " ".join(origin(context(climbed(top))))) is unmeasured
