"""What a user's own configuration has beyond its OPTIONS file, on the card beside the verdict."""

from dataclasses import replace

import pytest
from report_builders import RULES, UNITS, improved, on_page

from lsmtune.model import Configuration
from lsmtune.report import tune_card
from lsmtune.result import InCode, Said

CACHE = InCode("cache_size", 512 << 20, 8 << 20, "B", Said.VALUE)
ROWS = InCode("row_cache_size", 0, 0, "B", Said.NOTHING)
SAID = (
    "your options file, with what the file cannot hold: cache_size 512 MiB (8 MiB at scale), as stated; "
    "row_cache_size 0 B, the engine's default, as nothing was stated"
)


@pytest.mark.parametrize(("reference", "row"), [("options_file", "reference"), ("db_bench", "starting point")])
def test_the_card_says_what_was_stated_in_the_row_of_whose_it_is(reference: str, row: str) -> None:
    own = Configuration.of({}, "[Version]\n")
    found = improved(rules=replace(RULES, reference=reference, baselines={**RULES.baselines, "options_file": own}))
    facts = replace(found.facts, in_code=(CACHE, ROWS))
    kept = replace(found, description=replace(found.description, facts=facts.to_json()))
    lines = [" ".join(line.split()) for line in on_page(tune_card(kept, UNITS), 220).splitlines()]
    assert f"{row} {SAID}" in lines


def test_a_card_of_an_older_study_has_no_such_row() -> None:
    assert "cannot hold" not in on_page(tune_card(improved(), UNITS), 220)
