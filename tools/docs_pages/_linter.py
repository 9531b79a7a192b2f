"""The page of the linter: each rule in full."""

from collections.abc import Iterator

from docs_pages._markdown import anchor, bullets, generated, page, paragraph, table
from lsmtune.lint import RULES, Rule

_INTRO = (
    "The linter finds doubtful things in a study. `lsmtune show`, the report and the exports print each finding as a "
    "line: its code, then what it is about if that is not the study, then a sentence with the values that were "
    "compared. With `--json` the list `findings` has `code`, `about`, `sentence` and `next` of each. Codes never "
    "change."
)
_MEANING = (
    "Most findings do not alter a verdict: they say what it does not cover. Rules below that name what they qualify "
    "take the meaning from a result. A trial with such a finding does not become a finalist of a search, unless the "
    "reference has the finding too. If the reference has it, or a configuration that you named yourself, the verdict "
    'says so: "Improved on data that fits the memtables". A configuration has such a finding if at least half of its '
    "last six runs have it."
)
_ABOUT = (
    "Rules about runs look at the last undisturbed run of the reference and of the final configuration. Studies that "
    "were made before findings had codes show their sentences under the code of the rule that says the same today."
)


def linter_page() -> str:
    """Return the page of all rules."""
    rows = ((f"[{rule.code}]({anchor(rule.code)})", rule.looks_at) for rule in RULES.values())
    return page(
        "# The linter",
        generated("src/lsmtune/lint/"),
        paragraph(_INTRO),
        paragraph(_MEANING),
        paragraph(_ABOUT),
        table(("Code", "What it looks at"), rows),
        *(block for rule in RULES.values() for block in _entry(rule)),
    )


def _entry(rule: Rule) -> Iterator[str]:
    yield f"## {rule.code}"
    yield paragraph(rule.looks_at)
    parts = [f"Reported: {rule.threshold}", f"Why: {rule.why}", f"Next: {rule.next}"]
    yield bullets((*parts, f'Qualifies: "Improved {rule.qualifies}".') if rule.qualifies else parts)
