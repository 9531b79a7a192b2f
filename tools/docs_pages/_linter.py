"""The page of the linter: each rule in full."""

from collections.abc import Iterator

from docs_pages._markdown import anchor, bullets, generated, page, paragraph, table
from lsmtune.lint import RULES, Rule

_INTRO = (
    "What lsmtune finds doubtful in a study. `lsmtune show`, the report and the exports print each finding as a line "
    "that begins with its code, then what it is about where that is not the study, then a sentence with the values "
    "that were compared; "
    "with `--json` the list `findings` has `code`, `about`, `sentence` and `next` of each. Codes never change."
)
_MEANING = (
    "Most findings do not alter a verdict: they say what it does not cover. The rules below that name what they "
    "qualify take the meaning from a result. A trial with such a finding becomes no finalist of a search unless the "
    "reference has it too. Where the reference has it, or a configuration that you named yourself, the verdict says "
    'so: "Improved on data that fits the memtables". What at least half of the last six runs of a configuration have '
    "counts there."
)
_ABOUT = (
    "Of runs, the last undisturbed one of the reference and of the final configuration are looked at. Studies that "
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
    parts = [f"Speaks: {rule.threshold}", f"Why: {rule.why}", f"Next: {rule.next}"]
    yield bullets((*parts, f'Qualifies: "Improved {rule.qualifies}".') if rule.qualifies else parts)
