"""A study with a front on the command line."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune

from lsmtune.indicators import Objective
from lsmtune.study import Budget
from lsmtune.testing import FakePlan, Noise, Surface, fake_rules, fake_study

RULES = replace(
    fake_rules(),
    objective=Objective({"throughput_settled_ops_s": 1.0, "memory_peak_bytes": 0.3}),
    guards=(),
    pareto=True,
)
PLAN = FakePlan(Budget(None, 120), Surface(0.8), Noise(rate=0.03), seed=4, rules=RULES)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with fake_study(tmp_path / "front", PLAN) as study:
        study.tune()
    return tmp_path / "front"


def test_a_front_is_shown_and_given_as_json(lsmtune: Lsmtune, study: Path) -> None:
    code, out, _ = lsmtune("show", str(study))
    assert code == 0
    assert "The front" in out
    assert "on the front, chosen" in out
    code, out, _ = lsmtune("show", str(study), "--json")
    data = json.loads(out)
    assert code == 0
    assert data["front"]["chosen"] == data["decisions"]["winner"] == data["front"]["members"][0]


def test_a_finalist_that_is_none_cannot_be_exported(lsmtune: Lsmtune, study: Path) -> None:
    code, out, err = lsmtune("export", str(study), "--finalist", "9")
    assert (code, out) == (2, "")
    assert err == "lsmtune: there is no finalist-9: the study has 3; lsmtune show STUDY lists them\n"
