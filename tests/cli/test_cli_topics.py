"""lsmtune help: short texts on concepts."""

import re

import pytest
from cli_fixtures import Lsmtune

from lsmtune.cli.help_ import topics
from lsmtune.experiment import experiment_schema

WANTED = {"verdicts", "budget", "scale", "guards", "noise", "stages", "exit-codes", "files"}


def test_all_topics_are_listed_with_what_they_are_about(lsmtune: Lsmtune) -> None:
    code, out, err = lsmtune("help")
    assert (code, err) == (0, "")
    assert set(topics()) >= WANTED
    assert 8 <= len(topics()) <= 12
    for name, text in topics().items():
        assert re.search(rf"^{name} +{re.escape(text.splitlines()[0])}$", out, re.MULTILINE)


@pytest.mark.parametrize("name", sorted(topics()))
def test_a_topic_fits_on_a_screen_and_is_printed_as_it_is(lsmtune: Lsmtune, name: str) -> None:
    code, out, _ = lsmtune("help", name)
    assert code == 0
    assert out == topics()[name]
    lines = out.splitlines()
    assert 3 <= len(lines) <= 25
    assert max(map(len, lines)) <= 118
    assert not any(sign in out for sign in ("`", "**", "](", "\n#"))


@pytest.mark.parametrize("name", sorted(topics()))
def test_a_topic_names_only_commands_and_keys_that_are_there(lsmtune: Lsmtune, name: str) -> None:
    text = topics()[name]
    for command in set(re.findall(r"lsmtune ([a-z-]+)(?= |$)", text)) - {"writes"}:
        assert lsmtune(command, "--help")[0] == 0, command
    keys = experiment_schema()["properties"]
    for table in re.findall(r"\[([a-z]+)\]", text):
        assert table in keys


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("verdict", 'did you mean "verdicts"?'),
        ("exit codes2", 'did you mean "exit-codes"?'),
        ("qqqq", "there are budget, "),
    ],
)
def test_an_unknown_topic_names_the_nearest(lsmtune: Lsmtune, word: str, hint: str) -> None:
    code, out, err = lsmtune("help", word)
    assert (code, out) == (2, "")
    assert hint in err


def test_words_may_be_written_apart(lsmtune: Lsmtune) -> None:
    assert lsmtune("help", "exit codes")[1] == topics()["exit-codes"]


@pytest.mark.parametrize("place", ["/tmp/lsmtune-host.lock", "~/.cache/lsmtune/", "~/.local/state/lsmtune/"])
def test_the_topic_on_files_names_what_is_written_beside_studies(place: str) -> None:
    assert re.search(rf"^  {re.escape(place)} +\S", topics()["files"], re.MULTILINE)
