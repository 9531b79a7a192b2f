"""What the linter says of a study, as a part of a card and as values of JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Group, RenderableType

from lsmtune.lint import Finding
from lsmtune.report._about import bullets
from lsmtune.report._tables import section


def findings_parts(findings: Sequence[Finding]) -> Iterator[RenderableType]:
    """Yield findings as a list under a heading; nothing where there are none."""
    if findings:
        yield Group(section("Findings"), bullets(map(str, findings), "yellow"))


def findings_json(findings: Sequence[Finding] | None) -> dict[str, Any]:
    """Return findings as lines and in parts; None where nothing was asked, as of a bare table of runs."""
    if findings is None:
        return {"warnings": None, "findings": None}
    return {"warnings": [str(each) for each in findings], "findings": [each.to_json() for each in findings]}
