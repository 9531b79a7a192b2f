"""Parts of an analysis that are computed in two threads, whose libraries have none of their own."""

import threading
import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from lsmtune.analysis._threads import side_by_side, without_threads
from lsmtune.errors import StatisticsError


def threads_of_libraries() -> set[int]:
    return {library["num_threads"] for library in threadpool_info()}


def test_answers_come_in_the_order_of_the_parts_whichever_ends_first() -> None:
    second_is_done = threading.Event()

    def compute(part: int) -> int:
        if part == 1:
            second_is_done.set()
        return part * 10 if part or second_is_done.wait(60) else -1

    assert side_by_side(compute, range(5)) == [0, 10, 20, 30, 40], "the first waits for the second, beside it"


def test_parts_are_drawn_in_their_order_and_not_all_at_once() -> None:
    drawn: list[int] = []
    ahead: list[int] = []

    def parts() -> Iterator[int]:
        for part in range(40):
            drawn.append(part)
            yield part

    side_by_side(lambda part: ahead.append(len(drawn) - part), parts())
    assert drawn == list(range(40))
    assert max(ahead) < 20, "shuffled copies of all folds would need their memory at the same time"


def test_no_library_has_further_threads_in_any_of_them() -> None:
    with without_threads():
        pass  # the libraries are loaded
    with threadpool_limits(3):
        found = side_by_side(lambda _part: threads_of_libraries(), range(4))
        assert threads_of_libraries() == {3}, "left as it was"
    assert found == [{1}] * 4


def test_what_fails_is_said() -> None:
    def compute(part: int) -> int:
        if part == 2:
            raise StatisticsError("the second has too few runs")
        return part

    with pytest.raises(StatisticsError, match="the second has too few runs"):
        side_by_side(compute, range(3))


def test_no_part_has_no_answer() -> None:
    assert side_by_side(lambda part: part, np.arange(0)) == []


def test_a_false_alarm_of_scikit_learn_is_not_shown_and_others_are(recwarn: pytest.WarningsRecorder) -> None:
    def warns(text: str) -> int:
        warnings.warn(text, stacklevel=1)
        return len(text)

    side_by_side(warns, ["`sklearn.utils.parallel.delayed` should be used with another", "something else"])
    assert [str(each.message) for each in recwarn] == ["something else"]
