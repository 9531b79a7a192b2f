"""Builders for tests of NNI's experiments: configurations in both forms, search spaces, a trial of one's own."""

import json
from pathlib import Path
from typing import Any

FILL_SPACE = {
    "write_buffer_size": {"_type": "quniform", "_value": [2097152, 16777216, 1048576]},
    "min_write_buffer_number_to_merge": {"_type": "quniform", "_value": [2, 16, 1]},
    "level0_file_num_compaction_trigger": {"_type": "quniform", "_value": [2, 16, 1]},
}
"""The search space of NNI's example "Tuning RocksDB"."""

FIRST_FORM = """\
authorName: default
experimentName: auto_rocksdb_SMAC
trialConcurrency: 1
maxExecDuration: 12h
maxTrialNum: 256
#choice: local, remote, pai
trainingServicePlatform: local
searchSpacePath: search_space.json
useAnnotation: false
tuner:
  builtinTunerName: SMAC
  classArgs:
    optimize_mode: maximize
trial:
  command: python3 main.py
  codeDir: .
  gpuNum: 0
"""

SECOND_FORM = """\
debug: false
experimentName: auto_rocksdb_TPE
maxExperimentDuration: 12h
maxTrialNumber: 256
searchSpaceFile: search_space.json
trainingService: {maxTrialNumberPerGpu: 1, platform: local}
trialCodeDirectory: .
trialCommand: python3 main.py
trialConcurrency: 1
trialGpuNumber: 0
tuner:
  classArgs: {optimize_mode: maximize}
  name: TPE
useAnnotation: false
"""

FILLING_TRIAL = """\
import os
import subprocess
import nni

def flags(received):
    params = {
        "benchmarks": "fillrandom", "threads": 1, "key_size": 20, "value_size": 100, "num": NUMBER,
        "db": os.environ["NNI_OUTPUT_DIR"], "disable_wal": 1,
        "max_background_flushes": 1, "max_background_compactions": 4,
        "write_buffer_size": 67108864, "max_write_buffer_number": 16, "min_write_buffer_number_to_merge": 2,
        "level0_file_num_compaction_trigger": 2, "max_bytes_for_level_base": 268435456,
        "max_bytes_for_level_multiplier": 10, "target_file_size_base": 33554432, "target_file_size_multiplier": 1,
    }
    params.update({key: int(value) for key, value in received.items()})
    return ["--{}={}".format(key, value) for key, value in params.items()]

out = subprocess.run(["db_bench"] + flags(nni.get_next_parameter()), stdout=subprocess.PIPE, check=True).stdout.decode()
line = next(line for line in out.splitlines() if "fillrandom" in line)
nni.report_final_result(float(line.split("ops/sec")[0].split()[-1]))
"""
"""A trial that does what NNI's example does."""


def experiment(folder: Path, config: str = SECOND_FORM, space: Any = None, **files: str) -> Path:
    """Write an experiment of NNI into a folder, with further files by the stem of their name, and return its path."""
    (folder / "search_space.json").write_text(json.dumps(FILL_SPACE if space is None else space))
    for stem, text in files.items():
        (folder / f"{stem}.py").write_text(text)
    path = folder / "config.yml"
    path.write_text(config)
    return path


def own_trial(command: str = "python3 trial.py", mode: str = "maximize", more: str = "") -> str:
    """Return a configuration of a trial of one's own."""
    return (
        f"experimentName: toy\nsearchSpaceFile: search_space.json\ntrialCommand: {command}\n"
        f"tuner: {{name: TPE, classArgs: {{optimize_mode: {mode}}}}}\ntrainingService: {{platform: local}}\n{more}"
    )
