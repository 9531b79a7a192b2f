"""How large the records of YCSB are."""

from collections.abc import Mapping

from lsmtune.errors import UsageError

_KEY_PREFIX = len("user")
_HASH_DIGITS = 19
"""Of a hash below 2^63: nine of ten have 19 digits, nearly all others 18."""
_LENGTH_BYTES = 4
"""In front of each name and each value of a row."""
ROW_PROPERTIES = frozenset(
    {"fieldcount", "fieldlength", "minfieldlength", "fieldnameprefix", "field_len_dist", "fieldlengthdistribution"}
)
"""The properties that `record_bytes` reads rows from."""


def record_bytes(properties: Mapping[str, str], records: int | None = None) -> tuple[int, int]:
    """Return the bytes of a key and of a row, as the driver stores them.

    A row holds, for each field, name and value, each behind its length in 32 bits. Where the lengths of fields vary
    evenly, it is their mean; where they follow another distribution, their longest: see `sizes_are_known`.

    Args:
        properties: of YCSB, by name.
        records: how many there are; decides about the digits of keys in order, the only ones that are not hashed.

    Raises:
        UsageError: a property is no whole number.
    """
    digits = _HASH_DIGITS
    if properties.get("insertorder", "hashed") == "ordered":
        digits = len(str(max(1, records or 1) - 1))
    key = _KEY_PREFIX + max(digits, _count(properties, "zeropadding", 1))
    fields, longest = _count(properties, "fieldcount", 10), _count(properties, "fieldlength", 100)
    shortest = _count(properties, "minfieldlength", 1) if _distribution(properties) == "uniform" else longest
    prefix = len(properties.get("fieldnameprefix", "field"))
    names = fields * prefix + _digits_below(fields)
    return key, fields * 2 * _LENGTH_BYTES + names + fields * (shortest + longest) // 2


def with_rows_of(properties: Mapping[str, str], row_bytes: int) -> Mapping[str, str]:
    """Return the properties with fields so long that rows have a size, in bytes as `record_bytes` counts them.

    Raises:
        UsageError: no length gives it, or the lengths of fields vary.
    """
    if row_bytes == record_bytes(properties)[1]:
        return properties
    if _distribution(properties) != "constant":
        raise UsageError(f"cannot be {row_bytes}: the lengths of fields vary here; take their distribution out")
    fields = _count(properties, "fieldcount", 10)
    _, names = record_bytes({**properties, "fieldlength": "0"})
    length, rest = divmod(row_bytes - names, fields)
    if rest or length < 1:
        nearest = names + fields * max(1, round((row_bytes - names) / fields))
        raise UsageError(
            f"cannot be {row_bytes}: rows have {names} B for the names of {fields} fields, and all fields are equally "
            f"long; the nearest is {nearest}"
        )
    return {**properties, "fieldlength": str(length)}


def sizes_are_known(properties: Mapping[str, str]) -> bool:
    """Whether `record_bytes` is what records have on average."""
    return _distribution(properties) in ("constant", "uniform")


def _distribution(properties: Mapping[str, str]) -> str:
    """Return how lengths of fields are distributed; YCSB's own name of the property wins over YCSB-cpp's."""
    theirs = properties.get("field_len_dist", "constant")
    return properties.get("fieldlengthdistribution", theirs)


def _digits_below(count: int) -> int:
    """Return the digits of all numbers from 0 to `count` - 1 together."""
    total, first, digits = 0, 0, 1
    while first < count:
        last = min(count, 10**digits)
        total += (last - first) * digits
        first, digits = last, digits + 1
    return total


def _count(properties: Mapping[str, str], name: str, usual: int) -> int:
    text = properties.get(name)
    if text is None:
        return usual
    if not text.isdecimal():
        raise UsageError(f'property "{name}" is "{text}"; write a whole number')
    return int(text)
