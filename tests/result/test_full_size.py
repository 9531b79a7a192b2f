"""The memory of a result at full size, computed: a ratio that was measured at a scale does not carry."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune

from lsmtune import load
from lsmtune.result import ArmBuild, TuneResult

STUDIES = Path(__file__).parents[1] / "data" / "studies"
MIB = 1 << 20


def result_of(name: str) -> TuneResult:
    result = load(STUDIES / name).result
    assert isinstance(result, TuneResult)
    return result


def test_it_is_what_the_model_of_memory_says_of_both_at_full_size() -> None:
    result = result_of("tune-pruned")
    found, workload = result.full_size, result.facts.workload
    assert found is not None
    assert workload is not None
    assert result.final.values["write_buffer_size"] == 256 * MIB
    assert result.final.values["max_write_buffer_number"] == 8
    # Eight memtables of 256 MiB, but no more than is written; the reference has two of 64 MiB.
    assert found.largest[0] == "memtables"
    assert found.ratio == found.final_bytes / found.reference_bytes
    assert found.ratio > 10
    assert 2 * 64 * MIB < found.reference_bytes < 2 * 64 * MIB + 64 * MIB


def test_the_scale_does_not_shrink_it() -> None:
    result = result_of("tune-pruned")
    lines = result.description.experiment.splitlines()
    lines = [line for line in lines if not line.startswith("scale")]
    scaled = replace(result.description, experiment="\n".join(['scale = "1/64"', *lines]))
    assert replace(result, description=scaled).full_size == result.full_size


def test_a_winner_on_another_build_has_what_is_usual_there() -> None:
    result = result_of("tune-pruned")
    there = ArmBuild("there", result.build, {**result.reference_values, "writable_file_max_buffer_size": 65 * MIB})
    facts = replace(result.facts, builds={result.decisions.winner or "": there}).to_json()
    description = replace(result.description, facts=json.loads(json.dumps(facts)))
    here, found = result.full_size, replace(result, description=description).full_size
    assert here is not None
    assert found is not None
    assert found.reference_bytes == here.reference_bytes
    assert found.final_bytes >= here.final_bytes + 2 * 64 * MIB  # a flush and a compaction at a time, at least


def test_a_command_has_no_memory_that_could_be_computed() -> None:
    assert result_of("nni-command").full_size is None


def test_it_stands_on_the_card_in_json_and_in_the_export(lsmtune: Lsmtune, tmp_path: Path) -> None:
    shutil.copytree(STUDIES / "tune-pruned", tmp_path / "study")
    _, card, _ = lsmtune("show", "study")
    assert "Memory at full size, computed: 2.019 GiB" in " ".join(card.split())
    _, text, _ = lsmtune("show", "study", "--json")
    said = json.loads(text)["full_size"]["memory_bytes"]
    assert said["ratio"] == pytest.approx(said["final"] / said["reference"])
    code, _, err = lsmtune("export", "study", "--format", "flags", "--output", "flags.txt")
    assert code == 0, err
    assert "Memory at full size, computed: 2.019 GiB at its peak" in (tmp_path / "flags.txt").read_text()


def test_where_nothing_changed_nothing_is_said(lsmtune: Lsmtune, tmp_path: Path) -> None:
    shutil.copytree(STUDIES / "tune-nothing", tmp_path / "study")
    assert "Memory at full size" not in lsmtune("show", "study")[1]


def test_a_study_without_values_of_its_reference_says_nothing() -> None:
    result = result_of("tune-pruned")
    facts = {key: value for key, value in result.description.facts.items() if key != "reference_values"}
    older = replace(result, description=replace(result.description, facts=facts))
    assert older.full_size is None
