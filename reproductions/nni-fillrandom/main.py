"""The trial of the example as NNI runs it: asks for parameters, runs db_bench, reports operations a second."""

import os
import subprocess

import nni

params = {
    "benchmarks": "fillrandom",
    "threads": 1,
    "key_size": 20,
    "value_size": 100,
    "num": 13107200,
    "db": os.environ["NNI_OUTPUT_DIR"],
    "disable_wal": 1,
    "max_background_flushes": 1,
    "max_background_compactions": 4,
    "write_buffer_size": 67108864,
    "max_write_buffer_number": 16,
    "min_write_buffer_number_to_merge": 2,
    "level0_file_num_compaction_trigger": 2,
    "max_bytes_for_level_base": 268435456,
    "max_bytes_for_level_multiplier": 10,
    "target_file_size_base": 33554432,
    "target_file_size_multiplier": 1,
}
params.update({name: int(value) for name, value in nni.get_next_parameter().items()})
command = ["db_bench", *(f"--{name}={value}" for name, value in params.items())]
printed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
result = next(line for line in printed.splitlines() if line.startswith("fillrandom"))
nni.report_final_result(float(result.partition("ops/sec")[0].split()[-1]))
