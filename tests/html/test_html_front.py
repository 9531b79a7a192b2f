"""Verified finalists in the picture of two indicators, in a real browser."""

from dataclasses import replace
from pathlib import Path

from browser import chromium
from html_builders import page_of, tuned

from lsmtune.indicators import Objective
from lsmtune.study import Budget
from lsmtune.testing import FakePlan, Noise, Surface, fake_rules

RULES = replace(
    fake_rules(),
    objective=Objective({"throughput_settled_ops_s": 1.0, "memory_peak_bytes": 0.3}),
    guards=(),
    pareto=True,
)
CROSSES = """
const place = document.querySelector('[data-explorer=tradeoff] .plot');
const trace = place.data?.find((each) => each.name === 'verified');
return trace ? [[...trace.x], [...trace.error_x.array], trace.text.length] : null;
"""
OTHER_AXIS = """
const selects = [...document.querySelectorAll('[data-explorer=tradeoff] select')];
const used = selects.map((select) => select.value);
selects[0].value = [...selects[0].options].find((option) => !used.includes(option.value)).value;
selects[0].dispatchEvent(new Event('change'));
"""


def test_verified_finalists_are_drawn_and_follow_the_axes(tmp_path: Path) -> None:
    plan = FakePlan(Budget(None, 120), Surface(0.8), Noise(rate=0.03), seed=4, rules=RULES)
    folder = tuned(tmp_path / "front", plan)
    page_of(folder)
    with chromium() as browser:
        browser.open(folder.with_suffix(".html"))
        browser.until("return document.documentElement.dataset.ready === 'yes'")
        browser.run("document.querySelector('[data-explorer=tradeoff]').scrollIntoView()")
        browser.until(f"return (() => {{ {CROSSES} }})() !== null")
        at_first = browser.run(CROSSES)
        browser.run(OTHER_AXIS)
        then = browser.run(CROSSES)
    assert len(at_first[0]) == at_first[2] == 3
    assert all(reach > 0 for reach in at_first[1])
    assert len(then[0]) == 3
    assert then[0] != at_first[0]
