"""What a user names: options that are set together."""

from collections.abc import Mapping
from dataclasses import dataclass

from lsmtune.model import Value


@dataclass(frozen=True)
class NamedChange:
    """Options that are set together, as the user calls it.

    Attributes:
        name: what the user calls it.
        because: why it should help; may be empty.
        values: by option, at full size.
    """

    name: str
    because: str
    values: Mapping[str, Value]
