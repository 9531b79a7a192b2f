"""Hostile worlds: studies on the fake engine that show how often lsmtune says what is not true."""

from lsmtune.testing.hostile._answers import Answers
from lsmtune.testing.hostile._questions import Kind, Question
from lsmtune.testing.hostile._runner import Answered, answer_all, read_kept, studies_of
from lsmtune.testing.hostile._studies import run_study
from lsmtune.testing.hostile._table import Rate, as_csv, as_markdown, rates
from lsmtune.testing.hostile._worlds import WORLDS, HostileWorld

__all__ = [
    "WORLDS",
    "Answered",
    "Answers",
    "HostileWorld",
    "Kind",
    "Question",
    "Rate",
    "answer_all",
    "as_csv",
    "as_markdown",
    "rates",
    "read_kept",
    "run_study",
    "studies_of",
]
