"""What the doctor says."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from report_builders import BUILD, HOST, RATE, SPACE, on_page

from lsmtune.model import Ability, HostFacts
from lsmtune.report import DoctorFacts, ProgramNoise, doctor_advice, doctor_card, doctor_json
from lsmtune.report._values import detectable_gain
from lsmtune.stats import LOOKS, Detectable, NoiseFloor, noise_floor

NOISE = {RATE: noise_floor([100e3, 130e3, 90e3, 120e3]), SPACE: noise_floor([9.0e8, 9.1e8, 9.05e8, 9.0e8])}
GOOD = replace(BUILD, assertions=False, compressors=("none", "snappy", "lz4", "zstd"))


def detectable(noise: dict[str, NoiseFloor]) -> dict[str, dict[int, Detectable]]:
    return {name: {pairs: Detectable.of(floor.of_pairs, pairs) for pairs in LOOKS} for name, floor in noise.items()}


def facts() -> DoctorFacts:
    advice = doctor_advice(BUILD, HOST, NOISE, detectable(NOISE), 100 << 20)
    changed = (("max_background_jobs", 2, 8), ("enable_pipelined_write", False, True))
    missing = tuple(f"option_{number}" for number in range(14))
    return DoctorFacts(BUILD, HOST, missing, changed, NOISE, detectable(NOISE), 4, 31.5, advice, found="in PATH")


def test_the_card_looks_as_it_should(golden: Callable[[str, str], None]) -> None:
    golden("doctor.txt", on_page(doctor_card(facts()), 100))


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_of_the_card_is_too_long(width: int) -> None:
    assert max(len(line) for line in on_page(doctor_card(facts()), width).splitlines()) <= width


def test_a_card_before_any_run_says_what_is_known() -> None:
    page = on_page(doctor_card(replace(facts(), missing=(), changed_defaults=(), noise={}, advice=(), runs=0)), 100)
    assert "nothing in the way" in page
    assert "the build has all options of the catalogue" in page
    assert "noise of" not in page


def test_the_gains_that_pairs_can_show_are_said_to_be_for_a_single_claim() -> None:
    page = on_page(doctor_card(facts()), 200)
    assert "The gains are for a single claim: of one candidate, without guards." in page
    assert "a single claim" not in on_page(doctor_card(replace(facts(), noise={}, detectable={}, advice=())), 200)


def test_a_driver_is_shown_with_its_engines() -> None:
    leveldb = replace(BUILD, engine="leveldb", version="1.23", assertions=False)
    page = on_page(doctor_card(replace(facts(), driven=(leveldb, BUILD))), 100)
    assert "leveldb 1.23; rocksdb 7.8.3, assertion build" in page


def test_the_noise_of_every_program_is_shown() -> None:
    leveldb = replace(BUILD, engine="leveldb", version="1.23")
    others = (
        ProgramNoise("db_bench on leveldb", leveldb, NOISE, detectable(NOISE), 3),
        ProgramNoise("lsmtune-ycsb on rocksdb", GOOD, {}, {}, 0, "it cannot be measured"),
    )
    page = on_page(doctor_card(replace(facts(), others=others)), 100)
    assert "db_bench on leveldb: leveldb 1.23" in page
    assert "Noise of db_bench on leveldb, 3 runs" in page
    assert page.count("settled throughput  108.9 kops/s") == 2
    assert "it cannot be measured" in page
    data = doctor_json(replace(facts(), others=others))
    assert [each["name"] for each in data["others"]] == ["db_bench on leveldb", "lsmtune-ycsb on rocksdb"]
    assert data["others"][0]["noise"] == data["noise"]


def test_a_good_machine_gets_no_advice() -> None:
    quiet = {RATE: noise_floor([100e3, 101e3, 99e3])}
    assert doctor_advice(GOOD, HOST, quiet, detectable(quiet), 100 << 30) == ()


def test_an_assertion_build_is_to_be_replaced() -> None:
    (advice,) = doctor_advice(replace(GOOD, assertions=True), HOST, {}, {})
    assert "lsmtune build rocksdb" in advice


def test_missing_compressors_are_named() -> None:
    (advice,) = doctor_advice(replace(GOOD, compressors=("none", "snappy")), HOST, {}, {})
    assert "cannot use lz4 and zstd" in advice
    assert "over none and snappy only" in advice


def test_noisy_rates_are_claims_that_cannot_be_made_and_space_is_not() -> None:
    noise = {**NOISE, SPACE: noise_floor([9.0e8, 7.0e8, 9.9e8])}
    (advice,) = doctor_advice(GOOD, HOST, noise, detectable(noise))
    least = detectable(noise)[RATE][20]
    assert f"settled throughput below {detectable_gain(least)}" in advice
    assert "even with 20 pairs" in advice
    assert "n = 4" in advice


@pytest.mark.parametrize(
    ("host", "word"),
    [
        (replace(HOST, cores=1), "a single core"),
        (replace(HOST, disk_free_bytes=3 << 30), "Only 3 GiB of disk are free"),
        (replace(HOST, readahead_bytes=8 << 20), "The disk reads 8 MiB ahead, where 128 KiB are usual"),
    ],
)
def test_a_small_machine_is_said_to_be_small(host: HostFacts, word: str) -> None:
    (advice,) = doctor_advice(GOOD, host, {}, {})
    assert word in advice


def test_data_that_fits_into_memory_is_said_to() -> None:
    (advice,) = doctor_advice(GOOD, HOST, {}, {}, 1 << 30)
    assert "The data (1 GiB) fits into memory (8 GiB)" in advice


def test_the_facts_survive_json() -> None:
    data = doctor_json(facts())
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["format"] == 2
    assert data["changed_defaults"][0] == {"option": "max_background_jobs", "catalogue": 2, "build": 8}


WORKS = Ability("memory", "control groups, version 2"), Ability("bandwidth", "control groups, version 2")
DIRECT = Ability("direct I/O", "reads and writes")


def test_what_runs_can_be_held_to_is_shown() -> None:
    found = replace(facts(), abilities=(*WORKS, Ability("direct I/O", "", "/tmp: Invalid argument")))
    page = " ".join(on_page(doctor_card(found), 200).split())
    assert "memory: control groups, version 2; bandwidth: control groups, version 2; direct I/O: no" in page
    limits = doctor_json(found)["limits"]
    assert limits[2] == {"name": "direct I/O", "how": "", "trouble": "/tmp: Invalid argument"}


@pytest.mark.parametrize(
    ("abilities", "words"),
    [
        ((*WORKS, DIRECT), ()),
        (
            (Ability("memory", "", "no control groups are mounted"), DIRECT),
            ("as no control groups", 'page_cache = "direct"'),
        ),
        (
            (Ability("memory", "", "none"), Ability("direct I/O", "", "/tmp: Invalid argument")),
            ("a machine with less memory", "a file system such as ext4"),
        ),
        ((*WORKS[:1], Ability("bandwidth", "", "none")), ("leave read_bandwidth and write_bandwidth out",)),
    ],
)
def test_where_nothing_holds_runs_it_is_said_what_to_do(abilities: tuple[Ability, ...], words: tuple[str, ...]) -> None:
    advice = " ".join(doctor_advice(GOOD, HOST, {}, {}, abilities=abilities))
    assert bool(advice) == bool(words)
    assert all(word in advice for word in words)
