import os
import subprocess
import nni

def flags(received):
    params = {
        "benchmarks": "fillrandom", "threads": 1, "key_size": 20, "value_size": 100, "num": 13107200,
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
