"""A grid on the real db_bench, through the command."""

import json
from pathlib import Path

from cli_fixtures import Lsmtune

SWEEP = """
[workload]
benchmarks = "fillrandom"
num = "20k"
settle = "none"
[search]
noise_runs = 3
[host]
min_free = "1MiB"
[sweep]
rival = "compaction_style"
repeats = 2
[sweep.options]
compaction_style = ["level", "universal"]
[sweep.axes]
value_size = [100, "400"]
threads = [1, 2]
"""


def test_a_grid_runs_and_says_who_wins_where(lsmtune: Lsmtune) -> None:
    Path("x.toml").write_text(SWEEP)
    code, out, err = lsmtune("sweep", "x.toml", "--quiet", "--figures", "maps")
    assert code == 0, err
    assert "Who wins in throughput" in out
    assert "universal" in out
    assert "Shown to win, of 4 cells:" in out
    assert Path("maps/winner-throughput_ops_s.svg").read_text().startswith("<?xml")
    code, out, err = lsmtune("sweep", "studies/x-sweep/runs.parquet", "--json", "--indicator", "space_bytes")
    assert code == 0, err
    found = json.loads(out)
    assert len(found["cells"]) == 8
    assert {cell["runs"] for cell in found["cells"]} == {2}
    assert len(found["duels"]["space_bytes"]) == 4
    by_size = {cell["values"]["workload.value_size_bytes"]: cell["levels"]["space_bytes"] for cell in found["cells"]}
    assert by_size[400] > 2 * by_size[100]


def test_only_axes_may_be_swept_and_a_file_without_a_sweep_is_told(lsmtune: Lsmtune) -> None:
    text = SWEEP.replace('rival = "compaction_style"', "").replace('compaction_style = ["level", "universal"]', "")
    Path("axes.toml").write_text(text)
    code, out, err = lsmtune("sweep", "axes.toml", "--quiet")
    assert code == 0, err
    assert "write_buffer_size" not in out, "what stands still is no column"
    Path("none.toml").write_text(SWEEP.partition("[sweep]")[0] + '[space]\noptions = ["block_size"]\n')
    code, _, err = lsmtune("sweep", "none.toml")
    assert code == 2
    assert "has no table [sweep]; write [sweep.options] with" in err


def test_a_wrong_sweep_is_told_with_its_line(lsmtune: Lsmtune) -> None:
    wrong = SWEEP.replace("value_size = ", "value_sise = ").replace('rival = "compaction_style"', 'rival = "threds"')
    Path("x.toml").write_text(wrong.replace('["level", "universal"]', '["level", "tiered"]'))
    code, _, err = lsmtune("sweep", "x.toml")
    assert code == 2
    assert "x.toml:14: sweep.options.compaction_style" in err
    assert 'x.toml:16: sweep.axes.value_sise is no axis of the workload; did you mean "value_size"?' in err
    assert 'x.toml:11: sweep.rival: "threds" is not swept; write' in err
