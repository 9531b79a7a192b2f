"""What the driver prints is read, whole or cut; how far it is; why it failed."""

from dataclasses import replace

import pytest
from ycsb_builders import AS_RECORDED, LOADED_A, bench, printed, record

from lsmtune.backends import Glance, Process, Seen
from lsmtune.backends.ycsb._failure import failure_reason
from lsmtune.backends.ycsb._output import has_summary, last_state, parse_output
from lsmtune.errors import RunError

TAIL = 8192
"""An executor shows so many bytes at most."""


def lines(name: str) -> list[str]:
    return printed(name).splitlines(keepends=True)


def up_to(name: str, kind: str, place: int) -> str:
    """The output up to and with the line with number `place` of a type."""
    text = lines(name)
    numbers = [number for number, line in enumerate(text) if line.startswith(f'{{"type":"{kind}"')]
    return "".join(text[: numbers[place] + 1])


def seen(stdout: str, process: str = "measure", operations: int | None = 80_000) -> Seen:
    glance = Glance(1.0, 0.0, stdout[-TAIL:], "", "", 0)
    return bench("rocksdb", AS_RECORDED).progress(Process(process, ("lsmtune-ycsb",), operations), glance)


@pytest.mark.parametrize(
    ("name", "phases", "flushes", "compactions", "stalls"),
    [("rocksdb.jsonl", 5, 17, 9, 6), ("leveldb.jsonl", 5, 35, 9, 44), ("interrupted.jsonl", 1, 2, 5, 0)],
)
def test_real_outputs_are_read_to_the_last_line(
    name: str, phases: int, flushes: int, compactions: int, stalls: int
) -> None:
    output = parse_output(printed(name))
    assert output.problems == ()
    assert output.hello is not None
    assert output.summary is not None
    counts = (len(output.phases), len(output.flushes), len(output.compactions), len(output.stalls))
    assert counts == (phases, flushes, compactions, stalls)


def test_values_of_a_phase_are_those_that_were_printed() -> None:
    phase = parse_output(printed("rocksdb.jsonl")).phase("A")
    assert phase is not None
    assert (phase.phase.index, phase.phase.kind, phase.ending, phase.operations) == (2, "run", "complete", 20_000)
    assert (phase.outcomes["update"].operations, phase.latency["update"].p99_s) == (9981, 1.5511e-05)
    assert (phase.debt.pending_compaction_bytes, phase.debt.level0_files) == (27_034_347, 4)
    assert (phase.counters.wal_bytes, phase.amplification.waf) == (11_766_475, 2.209581228349398)
    assert phase.tree.bytes == 6_455_853 + 7_787_682 + 16_873_230


def test_what_is_null_is_none() -> None:
    load = parse_output(printed("rocksdb.jsonl")).phase("load")
    assert load is not None
    assert load.amplification.read_amp is None
    without = printed("rocksdb.jsonl").replace(
        '"wal_bytes":23577596,"stall_s":0.012324', '"wal_bytes":null,"stall_s":null'
    )
    load = parse_output(without).phases[0]
    assert (load.counters.wal_bytes, load.counters.stall_s) == (None, None)


def test_events_belong_to_the_phase_in_which_they_ended() -> None:
    output = parse_output(printed("rocksdb.jsonl"))
    assert [flush.phase for flush in output.flushes] == [0] * 9 + [1] * 2 + [2] * 5 + [3]
    assert [each.phase for each in output.compactions] == [0, 1, 1, 1, 2, 3, 3, 3, 3]


def test_a_cut_or_foreign_line_is_a_problem_and_no_crash() -> None:
    text = lines("leveldb.jsonl")
    text[1] = "Killed\n"
    text[2] = '{"type":"flush","t_s":0.0}\n'
    text[3] = "[1]\n"
    text[4] = '{"type":"of tomorrow"}\n'
    output = parse_output("".join(text)[:-100])
    assert output.summary is None
    assert len(output.phases) == 5
    places = [problem.split()[0] for problem in output.problems]
    assert places == ["stdout:2", "stdout:3", "stdout:4", f"stdout:{len(text)}"]


def test_a_newer_format_is_refused_with_the_next_step() -> None:
    with pytest.raises(RunError, match="output format 2, and this lsmtune reads up to 1; update lsmtune"):
        parse_output(printed("leveldb.jsonl").replace('"format":1', '"format":2', 1))


def test_nothing_printed_is_nothing_known() -> None:
    output = parse_output(printed("bad_option.jsonl"))
    assert (output.hello, output.phases, output.summary, output.problems) == (None, (), None, ())


def test_progress_counts_the_phases_that_are_done() -> None:
    first = seen(up_to("rocksdb.jsonl", "progress", 0))
    assert first == Seen(12_613, False, "load, files by level 3 4")
    assert seen(up_to("rocksdb.jsonl", "phase_end", 0)).operations == 20_000
    settling = seen(up_to("rocksdb.jsonl", "progress", 1))
    assert settling == Seen(20_000, False, "settle, files by level 3 1 8")
    assert seen(up_to("rocksdb.jsonl", "phase_end", 2)) == Seen(40_000, False, "run A, files by level 4 4 8")
    assert seen(printed("rocksdb.jsonl")) == Seen(80_000, True, "run D, files by level 1 3 11")


def test_a_line_that_is_being_written_does_not_hide_the_one_before() -> None:
    text = up_to("rocksdb.jsonl", "phase_end", 2)
    half = '{"type":"progress","t_s":0.3,"phase":{"index":3'
    assert seen(text + half).operations == 40_000


def test_without_a_whole_line_nothing_is_known() -> None:
    assert seen("") == Seen(None, False, "")
    assert last_state(up_to("rocksdb.jsonl", "phase_end", 2)[-500:]) is None


def test_operations_are_unknown_after_a_phase_that_time_ended() -> None:
    tool = bench("leveldb", replace(AS_RECORDED, duration_s=1.0))
    process = Process("measure", ("lsmtune-ycsb",), None)
    known = tool.progress(process, Glance(1.0, 0.0, up_to("leveldb.jsonl", "phase_end", 2), "", "", 0))
    unknown = tool.progress(process, Glance(1.0, 0.0, up_to("leveldb.jsonl", "phase_end", 3), "", "", 0))
    assert (known.operations, unknown.operations) == (40_000, None)


def test_progress_of_a_load_counts_its_own_phases() -> None:
    tool = bench("rocksdb", replace(LOADED_A, num=20_000))
    glance = Glance(1.0, 0.0, up_to("rocksdb.jsonl", "progress", 0), "", "", 0)
    assert tool.progress(Process("load", ("lsmtune-ycsb",), 20_000), glance).operations == 12_613


def test_only_a_summary_ends_the_results() -> None:
    assert has_summary(printed("interrupted.jsonl")[-TAIL:])
    assert not has_summary(up_to("interrupted.jsonl", "phase_end", 0))


def test_the_driver_s_own_sentence_says_why_it_failed() -> None:
    stderr = printed("bad_option.stderr")
    left = replace(record(""), returncode=int(printed("bad_option.exit")), stderr=stderr)
    assert bench("rocksdb", LOADED_A).failure(left) == (
        "lsmtune-ycsb failed: RocksDB option write_bufer_size=1M: this version has no option of this name; look for it "
        "in an OPTIONS file that it wrote"
    )


def test_an_assertion_of_the_engine_is_named_with_its_place() -> None:
    stderr = (
        "ycsb: ./util/rate_limiter.cc:369: rocksdb::RateLimiter* rocksdb::NewGenericRateLimiter(int64_t, int64_t, "
        "int32_t, RateLimiter::Mode, bool): Assertion `rate_bytes_per_sec > 0' failed.\n"
    )
    assert failure_reason(-6, stderr) == (
        'lsmtune-ycsb aborted: the assertion "rate_bytes_per_sec > 0" failed at rate_limiter.cc:369'
    )


@pytest.mark.parametrize(
    ("returncode", "stderr", "reason"),
    [
        (-9, "", "lsmtune-ycsb was ended by signal 9 (SIGKILL) and gave no reason"),
        (130, "", "lsmtune-ycsb was ended by signal 2 (SIGINT) and gave no reason"),
        (3, "what?\n", 'lsmtune-ycsb ended with exit code 3; its last line was "what?"'),
    ],
)
def test_without_a_sentence_the_ending_is_put_in_words(returncode: int, stderr: str, reason: str) -> None:
    assert failure_reason(returncode, stderr) == reason
