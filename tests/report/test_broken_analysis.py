"""An analysis.json in which any one value was replaced is still shown, as a section or as a sentence."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from analysis_report_builders import FULL

from lsmtune.report import analysis_json
from lsmtune.report.html._analysis_parts import readable_analysis
from lsmtune.report.html._blocks import Paragraph, charts_in
from lsmtune.report.html._static import svg_inline

WHOLE = json.loads(json.dumps(analysis_json(FULL)))
JUNK: tuple[Any, ...] = (None, "<b>", -1, [], {}, float("nan"), 1e400)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (container, key) of the first item of every list and of all items of every table."""
    items = list(value.items()) if isinstance(value, dict) else list(enumerate(value[:1]))
    for key, inner in items:
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_whatever_stands_in_the_place_of_a_value_there_is_a_page(junk: Any) -> None:
    broken = json.loads(json.dumps(WHOLE))
    sentences = 0
    for container, key in list(_places(broken)):
        before, container[key] = container[key], junk
        parts = readable_analysis(broken, 10)
        assert parts
        sentences += len(parts) == 1 and isinstance(parts[0], Paragraph)
        container[key] = before
    assert sentences > 5, "some of it cannot be done without"
    assert len(readable_analysis(broken, 10)) > 1


def test_what_is_whole_is_drawn() -> None:
    charts = list(charts_in(readable_analysis(WHOLE, 10)))
    assert charts
    assert all(svg_inline(chart).startswith("<svg") for chart in charts)
