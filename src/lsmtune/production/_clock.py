"""The time with which a line of a LOG begins, and times as the service's clock shows them."""

import re
from calendar import timegm
from datetime import UTC, datetime

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


def clock_text(time_s: float) -> str:
    """Return a time that `time_of` read as the service's clock showed it, to the second; ``?`` where no year has it."""
    try:
        return datetime.fromtimestamp(time_s, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError):
        return "?"
