"""Trials of one's own through the shim: parameters in, results out, failures in one sentence, and a whole study."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from cli_fixtures import Lsmtune
from executor_builders import ends_soon
from nni_builders import FILLING_TRIAL, SECOND_FORM, experiment, own_trial

from lsmtune.executors import Limits, LocalExecutor, Progress
from lsmtune.model import Configuration, Outcome, Purpose, Run, Status, Value
from lsmtune.nni import Trials, load_config
from lsmtune.store import read_study

pytestmark = pytest.mark.steady

WELL = (Status.OK, Status.DISTURBED)
"""How a run ends, however busy this machine is."""
SPACE = {
    "x": {"_type": "uniform", "_value": [0, 4]},
    "mode": {"_type": "choice", "_value": ["slow", "fast"]},
}
TOY = """\
import random
import nni

given = nni.get_next_parameter()
nni.report_intermediate_result(1.5)
noise = random.gauss(0, 0.01)
nni.report_final_result({"default": (10 - (given["x"] - 3) ** 2 + (2 if given["mode"] == "fast" else 0)) * (1 + noise)})
"""
"""The best is x = 3 with "fast": 12; the middle is x = 2 with "slow": 9."""


def outcome_of(folder: Path, trial: str, command: str = f"{sys.executable} trial.py", **values: Value) -> Outcome:
    """Run one trial."""
    config = load_config(experiment(folder, own_trial(command), SPACE, trial=trial))
    executor = LocalExecutor(Trials(config).bench(), folder / "scratch")
    run = Run(7, Purpose.TRIAL, "trial-1", None, Configuration.of(values), 1, 1)
    try:
        return executor.run(run, Limits(wall_s=120.0), _unwatched)
    finally:
        executor.close()


def _unwatched(_progress: Progress) -> None:
    """Look away."""


def test_a_trial_gets_its_parameters_and_its_result_is_taken(tmp_path: Path) -> None:
    trial = """\
import json, nni, os
from nni.utils import merge_parameter
assert nni.get_current_parameter() is None
given = nni.get_next_parameter()
assert nni.get_current_parameter("x") == given["x"]
assert (nni.get_sequence_id(), nni.get_trial_id()) == (6, "run-7")
assert merge_parameter({"x": 0, "mode": ""}, given) == given
assert os.path.isdir(os.environ["NNI_OUTPUT_DIR"])
assert os.getcwd() == os.environ["NNI_CODE_DIR"]
assert os.environ["NNI_PLATFORM"] == "local" and nni.get_experiment_id()
nni.report_intermediate_result(1)
nni.report_intermediate_result(2)
nni.report_final_result({"default": given["x"] * 2, "other": "kept out"})
print(json.dumps(given))
"""
    outcome = outcome_of(tmp_path, trial, mode="fast")
    assert outcome.status in WELL, outcome.reason
    assert outcome.measurement is not None
    assert outcome.measurement.indicators["trial_score"] == 4.0
    assert outcome.measurement.facts["intermediate_results"] == "1, 2"
    assert json.loads(outcome.artefacts["measure.stdout"]) == {"x": 2.0, "mode": "fast"}


@pytest.mark.parametrize(
    ("trial", "part"),
    [
        ("", "reported no final result; it has to call nni.report_final_result; it printed nothing"),
        ("print('done')", "nni.report_final_result: done"),
        ("import sys; sys.exit('no data')", "the trial ended with exit code 1: no data"),
        ("raise ValueError('too large')", "exit code 1: ValueError: too large"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "the trial was ended by signal 9 (SIGKILL)"),
        ("import os; os.kill(os.getpid(), 35)", "the trial was ended by signal 35"),
        ("import nni; nni.get_next_parameter(); nni.report_final_result(-2)", "reported -2 as its final result"),
        ("import nni; nni.report_final_result(float('nan'))", "reported nan as its final result"),
        ("import nni; nni.report_final_result({'loss': 1})", 'a dict with the key "default"'),
        ("import nni; nni.report_final_result('good')", "not the text 'good'"),
        ("import nni; nni.training_update()", "lsmtune's nni has no training_update; it has get_current_parameter"),
        ("import nowhere", "No module named 'nowhere'"),
    ],
)
def test_a_trial_that_gives_no_result_fails_with_its_last_line(tmp_path: Path, trial: str, part: str) -> None:
    outcome = outcome_of(tmp_path, trial)
    assert outcome.status is Status.FAILED
    assert part in outcome.reason


def test_nni_s_example_runs_unmodified_through_the_shim(tmp_path: Path) -> None:
    text = SECOND_FORM.replace("python3", sys.executable)
    path = experiment(tmp_path, text, main=FILLING_TRIAL.replace("NUMBER", "20000"))
    executor = LocalExecutor(Trials(load_config(path)).bench(), tmp_path / "scratch")
    run = Run(1, Purpose.TRIAL, "trial-1", None, Configuration.of({"write_buffer_size": 4 << 20}), 1, 1)
    outcome = executor.run(run, Limits(wall_s=300.0), _unwatched)
    executor.close()
    assert outcome.status in WELL, outcome.reason
    assert outcome.measurement is not None
    assert (outcome.measurement.indicators["trial_score"] or 0) > 1000
    assert outcome.measurement.effective["write_buffer_size"] == 4 << 20


def test_a_command_that_is_not_there_fails_in_one_sentence(tmp_path: Path) -> None:
    outcome = outcome_of(tmp_path, "", command="nosuchcommand --x 1")
    assert outcome.status is Status.FAILED
    assert "exit code 127" in outcome.reason
    assert "nosuchcommand" in outcome.reason


def test_a_trial_that_hangs_is_stopped_at_its_cap(tmp_path: Path) -> None:
    config = load_config(
        experiment(tmp_path, own_trial(f"{sys.executable} trial.py"), SPACE, trial="input = 1\nwhile True: pass")
    )
    executor = LocalExecutor(Trials(config).bench(), tmp_path / "scratch")
    run = Run(1, Purpose.TRIAL, "trial-1", None, Configuration(), 1, 1)
    outcome = executor.run(run, Limits(wall_s=0.5), _unwatched)
    executor.close()
    assert outcome.status is Status.CENSORED
    assert "beyond its cap" in outcome.reason


def test_the_command_dies_with_what_started_it(tmp_path: Path) -> None:
    trial = "import os, pathlib, time\npathlib.Path('pid').write_text(str(os.getpid()))\ntime.sleep(60)"
    path = experiment(tmp_path, own_trial(f"{sys.executable} trial.py"), SPACE, trial=trial)
    words = [sys.executable, "-m", "lsmtune", "nni", str(path), "--quiet", "--study", str(tmp_path / "study")]
    process = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.DEVNULL)
    pid = _appears(tmp_path / "pid")
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert ends_soon(pid)


def test_a_study_of_a_toy_finds_its_optimum_and_proves_it(tmp_path: Path, lsmtune: Lsmtune) -> None:
    path = experiment(tmp_path, own_trial(f"{sys.executable} trial.py"), SPACE, trial=TOY)
    code, out, err = lsmtune("nni", str(path), "--budget", "60 runs", "--study", "s", "--quiet", "--json")
    assert code == 0, err
    result = json.loads(out)
    assert result["improved"], result["sentence"]
    final: dict[str, Any] = {change["option"]: change["after"] for change in result["changes"]}
    assert final["mode"] == "fast"
    assert 2.0 < final.get("x", 2.0) <= 4.0
    assert 1.1 < result["verdict"]["claim"]["gain"] < 1.4  # 12 / 9 at most
    assert result["rules"]["reference"] == "middle"

    code, out, _ = lsmtune("show", "s")
    assert code == 0
    assert "trial score" in out
    assert "a command of yours" in out
    code, out, _ = lsmtune("export", "s")
    assert (code, json.loads(out)["mode"]) == (0, "fast")
    code, _, err = lsmtune("export", "s", "--format", "flags")
    assert code == 2
    assert "written as json" in err
    code, _, err = lsmtune("show", "s", "--per-phase")
    assert code == 2
    assert "a study of a command" in err


def test_a_study_that_was_killed_goes_on_and_refuses_other_code(tmp_path: Path, lsmtune: Lsmtune) -> None:
    path = experiment(tmp_path, own_trial(f"{sys.executable} trial.py", "minimize"), SPACE, trial=TOY)
    words = ["nni", str(path), "--budget", "22 runs", "--study", str(tmp_path / "s"), "--quiet"]
    process = subprocess.Popen([sys.executable, "-m", "lsmtune", *words], cwd=tmp_path, stdout=subprocess.DEVNULL)
    _has_runs(tmp_path / "s", 4)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with read_study(tmp_path / "s") as study:
        before = [stored.run.id for stored in study.runs() if stored.status in WELL]
    code, _, err = lsmtune(*words)
    assert code == 0, err
    with read_study(tmp_path / "s") as study:
        runs = study.runs()
    assert [stored.run.id for stored in runs if stored.status in WELL][: len(before)] == before
    made = [stored for stored in runs if stored.status is not Status.LOST]
    assert len({(each.run.purpose, each.run.arm, each.run.block) for each in made}) <= 22
    (tmp_path / "trial.py").write_text(TOY + "# changed\n")
    code, _, err = lsmtune(*words)
    assert code == 2
    assert "other files of the command" in err


def test_own_values_are_the_reference(tmp_path: Path, lsmtune: Lsmtune) -> None:
    path = experiment(tmp_path, own_trial(f"{sys.executable} trial.py"), SPACE, trial=TOY)
    own = tmp_path / "own.json"
    own.write_text('{"x": 3.0, "mode": "fast"}')
    code, out, err = lsmtune("nni", str(path), "--budget", "22 runs", "--default", str(own), "--quiet", "--json")
    assert code == 0, err
    result = json.loads(out)
    assert not result["improved"]
    assert result["facts"]["reference_values"] == {"x": 3.0, "mode": "fast"}


@pytest.mark.parametrize(
    ("more", "part"),
    [
        (["--scale", "1/64"], "--scale is for db_bench"),
        (["--num", "3"], "--num is for db_bench"),
        (["--default", "gone.json"], "gone.json cannot be read"),
        (["--budget", "soon"], "write it like"),
    ],
)
def test_what_a_command_has_no_use_for_is_refused(tmp_path: Path, lsmtune: Lsmtune, more: list[str], part: str) -> None:
    path = experiment(tmp_path, own_trial(), SPACE, trial=TOY)
    code, out, err = lsmtune("nni", str(path), *more)
    assert (code, out) == (2, "")
    assert part in err


def _appears(path: Path) -> int:
    for _ in range(2000):
        if path.exists() and path.read_text():
            return int(path.read_text())
        time.sleep(0.1)
    raise AssertionError(f"{path} did not appear")


def _has_runs(folder: Path, number: int) -> None:
    for _ in range(2000):
        if (folder / "study.sqlite").exists():
            with read_study(folder) as study:
                if len(study.runs()) > number:
                    return
        time.sleep(0.1)
    raise AssertionError(f"{folder} has fewer than {number} runs")
