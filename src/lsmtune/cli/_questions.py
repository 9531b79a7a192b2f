"""The five questions of ``lsmtune init``, and what the flags that answer them say."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import typer

from lsmtune.errors import LsmtuneError

if TYPE_CHECKING:
    from lsmtune.backends import Needs

_Answer = TypeVar("_Answer")
NOTHING_WRITTEN = "stopped; nothing was written"


class NothingWrittenError(typer.Abort):
    """Ctrl-C, or the end of stdin, at a question."""

    def __str__(self) -> str:
        """What to say of it."""
        return NOTHING_WRITTEN


def ask_needs(check_engine: Callable[[str], object]) -> tuple[str, "Needs"]:
    """Ask in the terminal what the experiment is about; return the engine and the rest.

    Args:
        check_engine: raises an error where an engine cannot be used here.

    Raises:
        NothingWrittenError: the user stopped.
    """
    from lsmtune.backends import KEPT, WORKS
    from lsmtune.experiment import starting_engines, starting_needs
    from lsmtune.units import format_bytes

    def engine_of(answer: str) -> str:
        check_engine(answer)
        return answer

    known = starting_engines()
    engine = _ask(f"Which engine? {_listed(known)}", known[0], engine_of)
    needs = starting_needs(engine)
    needs = _ask(
        f"What is to be faster? {_listed(WORKS)}", needs.work, lambda answer: with_answers(needs, {"work": answer})
    )
    size = format_bytes(needs.size_bytes).replace(" ", "")
    needs = _ask("How large is the data?", size, lambda answer: with_answers(needs, {"size": answer}))
    needs = _ask(
        f"What must not get worse? {_listed((*KEPT, 'none'))}",
        ", ".join(needs.kept),
        lambda answer: with_answers(needs, {"keep": answer}),
    )
    needs = _ask("How long may the tuning take?", needs.time, lambda answer: with_answers(needs, {"time": answer}))
    return engine, needs


def with_answers(needs: "Needs", answers: Mapping[str, str]) -> "Needs":
    """Return needs with what was answered, each as it was written; see the flags of ``lsmtune init``.

    Raises:
        UsageError: an answer cannot be.
    """
    from lsmtune.units import parse_bytes

    for name, answer in answers.items():
        said = answer.strip()
        if name == "size":
            needs = replace(needs, size_bytes=parse_bytes(said))
        elif name == "keep":
            words = dict.fromkeys(word.strip() for word in said.split(","))
            needs = replace(needs, kept=() if tuple(words) in (("none",), ("",)) else tuple(words))
        elif name == "work":
            needs = replace(needs, work=said)
        else:
            needs = replace(needs, time=said)
    return needs


def _ask(question: str, default: str, read: Callable[[str], _Answer]) -> _Answer:
    """Ask until the answer can be read; Enter takes the default."""
    while True:
        try:
            answer = typer.prompt(question, default=default)
        except typer.Abort:
            typer.echo()
            raise NothingWrittenError from None
        try:
            return read(answer.strip())
        except LsmtuneError as error:
            typer.echo(f"  {error}")


def _listed(choices: tuple[str, ...]) -> str:
    return f"({', '.join(choices)})"
