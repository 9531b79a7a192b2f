"""A grid on the real db_bench, through the command."""

import json
import re
from pathlib import Path

import pytest
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
disturbed = "use"
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
    Path("x.toml").write_text(SWEEP, encoding="utf-8-sig", newline="\r\n")  # as some editors save it
    code, out, err = lsmtune("sweep", "x.toml", "--quiet", "--figures", "maps")
    assert code == 0, err
    assert Path("studies/x-sweep/experiment.toml").read_text() == SWEEP
    assert lsmtune("report", "studies/x-sweep")[0] == 0
    assert "Who wins in throughput" in out
    assert "universal" in out
    assert re.search(r"(in \d of|in any of) 4 cells", " ".join(out.split()))
    assert Path("maps/winner-throughput_ops_s.svg").read_text().startswith("<?xml")
    code, out, err = lsmtune("sweep", "studies/x-sweep/runs.parquet", "--json", "--indicator", "space_bytes")
    assert code == 0, err
    found = json.loads(out)
    assert len(found["cells"]) == 8
    assert {cell["runs"] for cell in found["cells"]} == {2}
    assert len(found["duels"]["space_bytes"]) == 4
    assert found["rules"]["space_bytes"]["of"] == 4
    assert "the lower space on disk" in found["rules"]["space_bytes"]["words"]
    code, out, err = lsmtune("sweep", "studies/x-sweep/runs.parquet", "--indicator", "compaction_count")
    assert code == 0, err
    assert "Who wins" not in out, "more compactions are neither better nor worse"
    assert "compaction count" in out
    code, out, err = lsmtune(
        "sweep", "studies/x-sweep/runs.parquet", "--scale", "1/4", "--num", "1M", "--figures", "no"
    )
    assert (code, out) == (2, "")
    assert not Path("no").exists()
    assert "studies/x-sweep/runs.parquet is recorded already" in err
    assert "leave out --scale, --num" in err
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
    assert "x.toml:15: sweep.options.compaction_style" in err
    assert 'x.toml:17: sweep.axes.value_sise is no axis of the workload; did you mean "value_size"?' in err
    assert 'x.toml:12: sweep.rival: "threds" is not swept; write' in err


VARIANTS = """
[workload]
benchmarks = "fillrandom,readrandom"
num = "20k"
value_size = "400"
[workload.flags]
fifo_compaction_max_table_files_size_mb = 1024
[search]
noise_runs = 3
[host]
min_free = "1MiB"
disturbed = "use"
[sweep]
rival = "style"
repeats = 2
[sweep.variants]
style = [
  { name = "leveled", set = { compaction_style = "level" } },
  { name = "universal", set = { compaction_style = "universal" } },
  { name = "fifo", set = { compaction_style = "fifo" } },
  { name = "blob", set = { enable_blob_files = true, min_blob_size = 0 } },
]
"""


def test_named_variants_compete_although_several_options_make_them(lsmtune: Lsmtune) -> None:
    Path("v.toml").write_text(VARIANTS.replace('num = "20k"', 'num = "20k"\nsettle = "none"'))
    code, out, err = lsmtune("sweep", "v.toml", "--quiet", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["rival"] == "variant.style"
    assert {cell["values"]["variant.style"]: cell["runs"] for cell in found["cells"]} == {
        "leveled": 2,
        "universal": 2,
        "fifo": 2,
        "blob": 2,
    }
    import pandas as pd

    frame = pd.read_csv("studies/v-sweep/runs.csv")
    cells = frame[frame["purpose"] == "sample"]
    assert cells.groupby("variant.style")["effective"].nunique().eq(1).all()
    assert cells["effective"].nunique() == 4, "each variant ran under a configuration of its own"


@pytest.mark.parametrize(("command", "suffix"), [("sweep", "-sweep"), ("sample", ""), ("compare", "-compare")])
def test_another_scale_is_another_study(lsmtune: Lsmtune, command: str, suffix: str) -> None:
    text = SWEEP + "[sample]\nruns = 8\ntest = 0\nreplicates = 0\n"
    space = "[space.ranges]\nmax_background_jobs = { low = 1, high = 2 }\n"
    Path("x.toml").write_text(text + space + '[[compare]]\nname = "one"\nset = { max_background_jobs = 1 }\n')
    code, _, err = lsmtune(command, "x.toml", "--quiet", "--scale", "1/2", "--budget", "4 runs")
    assert code == 0, err
    kept = Path(f"studies/x-scale-1-2{suffix}/experiment.toml")
    assert kept.read_text().startswith('scale = "1/2"\n')
