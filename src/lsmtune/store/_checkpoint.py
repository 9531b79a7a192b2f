"""What a stage decided, as a typed value under a name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from lsmtune.codec import JSON, Reader

_T = TypeVar("_T")


def _as_it_is(value: object) -> JSON:
    """Return a value that JSON holds as it is: texts, numbers, and tuples and mappings of them."""
    found: JSON = value  # type: ignore[assignment]  # a checkpoint without `write` is declared for such values alone
    return found


@dataclass(frozen=True)
class Checkpoint(Generic[_T]):
    """A place where a study keeps one decision, so that a resumed study goes on from it.

    Each is declared once, in `lsmtune.result`, where both who decides and who tells of it import it.

    Attributes:
        name: of the decision in the store; never changed, since studies are stored with it.
        read: what is stored -> the decision. It gives a default to each field that older versions did not store.
        write: the decision -> what is stored; left out for what JSON holds as it is.
    """

    name: str
    read: Reader[_T]
    write: Callable[[_T], JSON] = _as_it_is
