"""Numbers as they are printed: the unit is that of what is shown."""

import pytest

from lsmtune.units import format_bytes, format_rate, format_seconds


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (9.994e-7, "999 ns"),
        (9.996e-7, "1 us"),
        (9.994e-4, "999 us"),
        (9.996e-4, "1 ms"),
        (0.9996, "1 s"),
        (59.94, "59.9 s"),
        (59.96, "1m 00s"),
        (3599.4, "59m 59s"),
        (3599.9, "1h 00m"),
        (7199.9, "2h 00m"),
    ],
)
def test_a_time_that_is_rounded_up_has_the_next_unit(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


def test_a_size_and_a_rate_that_are_rounded_up_have_the_next_prefix() -> None:
    assert [format_bytes(size) for size in (1023.0, 1023.99, 2.0**20 - 1)] == ["1023 B", "1 KiB", "1 MiB"]
    assert [format_rate(rate) for rate in (999.9, 999.96, 999_960.0)] == ["999.9 ops/s", "1 kops/s", "1 Mops/s"]
