"""The JSON document that a study exports, and the look-up of formats."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from export_builders import ABLATION_GAINS, prepared, result, together

from lsmtune.backends.registry import BACKENDS, backend_of
from lsmtune.errors import UsageError
from lsmtune.exporters import EXPORTERS, check_format, export
from lsmtune.result import HostRow, HostTable
from lsmtune.study import Prepared


@pytest.fixture
def study(tmp_path: Path) -> Prepared:
    return prepared(tmp_path)


def document(study: Prepared, **changes: Any) -> Any:
    told = result(study, {"bloom_bits": 10, "cache_size": 64 << 20}, ablated={"bloom_bits": ABLATION_GAINS})
    return json.loads(export("json", replace(told, **changes), study.build))


def test_it_names_its_format_the_study_and_both_engines(study: Prepared) -> None:
    told = document(study)
    assert (told["format"], told["format_version"]) == ("lsmtune-configuration", 1)
    assert (told["study"]["name"], told["study"]["scale"]) == ("export", "1/64")
    assert told["engine"]["measured_with"] == told["engine"]["written_for"]
    assert told["engine"]["written_for"]["version"] == study.build.version


def test_a_change_has_its_place_in_the_engine_and_its_evidence(study: Prepared) -> None:
    bloom, cache = document(study)["changes"]
    assert (bloom["option"], bloom["before"], bloom["after"]) == ("bloom_bits", -1, 10)
    assert (bloom["flag"], bloom["key"], bloom["section"]) == ("bloom_bits", "filter_policy", "Table")
    assert bloom["earned"]["n"] == 3
    assert bloom["earned"]["low"] < bloom["earned"]["ratio"] < bloom["earned"]["high"]
    assert (cache["key"], cache["earned"]) == (None, None)


def test_an_ablation_effect_in_another_configuration_or_together_says_so(study: Prepared) -> None:
    told = together(study)
    found = json.loads(export("json", told, study.build))
    assert [change["taken_back_since"] for change in found["changes"]] == [3, 0, 0]
    assert found["together"]["options"] == ["cache_size", "compression_type"]
    assert found["together"]["earned"]["n"] == 3
    text = " ".join(export("flags", told, study.build).replace("# ", "").split())
    assert "ablation effect 1.21x [1.18, 1.24] n = 3, in the winner, before 3 changes were reverted" in text
    assert (
        "Tested only together: cache_size, compression_type; they have the ablation effect 1.21x [1.18, 1.24] n = 3."
        in text
    )
    assert document(study)["together"] is None


def test_values_are_what_the_engine_uses_at_full_size(study: Prepared) -> None:
    values = document(study)["values"]
    assert values["write_buffer_size"] == 64 << 20
    assert values["max_compaction_bytes"] == 25 * (64 << 20)  # asked for: 0
    assert (values["bloom_bits"], values["cache_size"]) == (10, 64 << 20)


def test_the_verdict_has_its_interval_and_number_of_pairs(study: Prepared) -> None:
    verdict = document(study)["verdict"]
    assert (verdict["decision"], verdict["accepted"], verdict["n"]) == ("improved", True, 6)
    assert verdict["low"] < verdict["gain"] < verdict["high"]
    assert verdict["guards"]["space_bytes"]["verdict"] == "held"


def test_an_interval_without_an_end_is_null(study: Prepared) -> None:
    (verified,) = result(study, {}).verified
    endless = replace(verified, claim=replace(verified.claim, high=float("inf")))
    assert document(study, verified=(endless,))["verdict"]["high"] is None


def test_without_verification_there_is_no_verdict(study: Prepared) -> None:
    told = result(study)
    nothing = json.loads(export("json", replace(told, verified=()), study.build))
    assert (nothing["improved"], nothing["verdict"], nothing["changes"]) == (False, None, [])


def test_what_the_engine_changed_is_told(study: Prepared) -> None:
    told = json.loads(export("json", result(study, {"level0_stop_writes_trigger": 8}), study.build))
    (changed,) = told["overridden"]
    assert (changed["option"], changed["asked"], changed["effective"]) == ("level0_stop_writes_trigger", 8, 20)
    assert told["values"]["level0_stop_writes_trigger"] == 20


def test_an_unknown_format_is_refused_with_the_known_ones(study: Prepared) -> None:
    with pytest.raises(UsageError, match='"yaml" is not a format; choose one of options-file, flags, leveldb-cpp'):
        check_format("yaml")
    with pytest.raises(UsageError, match="choose one of"):
        export("yaml", result(study), study.build)


def test_every_format_is_listed_under_its_name_and_ends_its_text_with_a_line_end(study: Prepared) -> None:
    for name, exporter in EXPORTERS.items():
        assert exporter.name == name
        assert exporter.summary.endswith(".")
    for name in backend_of(study.build).formats:
        assert export(name, result(study), study.build).endswith("\n")
    assert {name for each in BACKENDS.values() for name in each.formats} == EXPORTERS.keys()


def test_a_format_of_another_engine_is_refused_with_those_that_fit(study: Prepared) -> None:
    with pytest.raises(
        UsageError, match='"leveldb-cpp" is not for rocksdb as measured with db_bench; choose one of opt'
    ):
        export("leveldb-cpp", result(study), study.build)


def test_all_hosts_that_made_runs_are_named(study: Prepared) -> None:
    rows = tuple(HostRow(name, 6, 0, 0, None, None, None, ()) for name in ("bench-1", "bench-2"))
    several = HostTable("throughput_settled_ops_s", rows, 1.7e9, 1.7e9 + 60)
    assert document(study)["study"]["hosts"] == ["bench-1"]
    assert document(study, hosts=several)["study"]["hosts"] == ["bench-1", "bench-2"]
    text = export("options-file", replace(result(study, {"bloom_bits": 10}), hosts=several), study.build)
    assert "runs on bench-1, bench-2, written by" in " ".join(text.replace("#", "").split())
