"""The time with which a line of a LOG begins."""

import re
from calendar import timegm

_STAMP = re.compile(r"\[?(\d{4})[-/](\d\d)[-/](\d\d)[-T ] ?(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d{1,18}))?")


def time_of(line: str) -> float | None:
    """Return the time with which a line begins, in s since the epoch if the service's clock was UTC."""
    match = _STAMP.match(line)
    if match is None:
        return None
    *whole, part = match.groups(default="0")
    if any(int(number) > most for number, most in zip(whole[3:], (23, 59, 60), strict=True)):
        return None
    try:
        return timegm(tuple(map(int, whole))) + float(f"0.{part}")
    except (ValueError, OverflowError):
        return None
