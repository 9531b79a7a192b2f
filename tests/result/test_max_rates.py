"""What stands behind largest rates, of studies made by hand."""

from pathlib import Path

import pytest
from result_builders import Made, rules, store

from lsmtune.indicators import MAX_RATE
from lsmtune.model import Measurement, Purpose, Status
from lsmtune.result import History
from lsmtune.result._max_rates import max_rates
from lsmtune.store import create_study
from lsmtune.testing import fake_description, fake_space


@pytest.mark.parametrize(("status", "runs"), [(Status.OK, 2), (Status.DISTURBED, 2), (Status.FAILED, 1)])
def test_a_run_that_counts_for_the_claim_counts_for_its_rate(tmp_path: Path, status: Status, runs: int) -> None:
    measured = Measurement({MAX_RATE: 400.0})
    with create_study(tmp_path / "s", fake_description(rules(), fake_space())) as study:
        store(study, Made(Purpose.VERIFY, "stock", 0), measurement=measured)
        store(study, Made(Purpose.VERIFY, "stock", 1, status=status), measurement=measured)
        store(study, Made(Purpose.CONFIRM, "stock", 0), measurement=measured)
        (found,) = max_rates(study, History.read(study, rules()))
    assert (found.arm, found.runs) == ("stock", runs)
    assert found.rate_ops_s == pytest.approx(400.0)
