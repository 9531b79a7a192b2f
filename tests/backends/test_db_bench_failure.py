"""Each reason is read from what a real db_bench 7.8.3 printed when it failed."""

from pathlib import Path

import pytest

from lsmtune.backends._failure import failure_reason

EXTRA = Path(__file__).parents[1] / "fixtures" / "db_bench-7.8.3" / "extra"


@pytest.mark.parametrize(
    ("name", "returncode", "reason"),
    [
        (
            "refused_mmap",
            1,
            (
                "db_bench failed: open error: Not implemented: If memory mapped reads (allow_mmap_reads) are enabled "
                "then direct I/O reads (use_direct_reads) must be disabled."
            ),
        ),
        ("aborted_fill", -6, 'db_bench aborted: the assertion "db_.db == nullptr" failed at db_bench_tool.cc:4131'),
        ("aborted_fill", 134, 'db_bench aborted: the assertion "db_.db == nullptr" failed at db_bench_tool.cc:4131'),
        ("unknown_flag", 1, "db_bench failed: unknown command line flag 'nonsense'"),
        ("unknown_benchmark", 1, "db_bench failed: unknown benchmark 'nonsense'"),
        (
            "bad_options_file",
            1,
            (
                "db_bench failed: Unable to load options file /dev/fd/63 --- Invalid argument: "
                "Could not find option: : bogus_key"
            ),
        ),
        (
            "disk_full",
            1,
            (
                "db_bench failed: put error: IO error: No space left on device: While appending to file: "
                "/data/db/000016.log: No space left on device"
            ),
        ),
        ("file_size_limit", -25, "db_bench was ended by signal 25 (SIGXFSZ) and gave no reason"),
        ("file_size_limit", 153, "db_bench was ended by signal 25 (SIGXFSZ) and gave no reason"),
    ],
)
def test_the_reason_of_a_real_failure_is_one_sentence(name: str, returncode: int, reason: str) -> None:
    stderr = (EXTRA / f"{name}.stderr.txt").read_bytes().decode()
    assert failure_reason(returncode, "", stderr) == reason


def test_a_killed_process_is_named_with_its_signal() -> None:
    assert failure_reason(-9, "", "... finished 100 ops    \r") == (
        "db_bench was ended by signal 9 (SIGKILL) and gave no reason"
    )


def test_a_signal_without_a_name_has_its_number() -> None:
    assert failure_reason(-35, "", "") == "db_bench was ended by signal 35 and gave no reason"


def test_without_a_known_cause_the_last_line_is_quoted() -> None:
    assert failure_reason(3, "", "Date: now\nsomething odd\n") == (
        'db_bench ended with exit code 3; its last line was "something odd"'
    )


def test_an_error_on_stdout_is_found_too() -> None:
    assert failure_reason(1, "Get returned an error: Corruption: block checksum mismatch\n", "") == (
        "db_bench failed: Get returned an error: Corruption: block checksum mismatch"
    )


def test_statistics_with_error_in_their_name_are_no_cause() -> None:
    reason = failure_reason(1, "rocksdb.no.file.errors COUNT : 0\n", "")
    assert reason.startswith("db_bench ended with exit code 1")


def test_a_long_message_is_shortened() -> None:
    assert len(failure_reason(1, "", f"open error: {'x' * 5000}")) < 320
