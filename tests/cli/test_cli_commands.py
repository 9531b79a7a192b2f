"""The commands on the real engine and on small studies."""

import json
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from executor_builders import wait_until

from lsmtune import __version__
from lsmtune.experiment import load_experiment

STUDIES = Path(__file__).parents[1] / "data" / "studies"


def lsmtune(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run lsmtune as a user does."""
    return subprocess.run(
        [sys.executable, "-m", "lsmtune", *words], cwd=cwd, capture_output=True, text=True, timeout=300, check=False
    )


def printed_and_loaded(words: tuple[str, ...], heavy: set[str]) -> tuple[str, set[str]]:
    """Run lsmtune, and return what it printed, and which of some modules it loaded."""
    probe = (
        f"import json, sys; sys.argv = ['lsmtune', *{words!r}]\n"
        "from lsmtune.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print(json.dumps([name for name in {sorted(heavy)!r} if name in sys.modules]))"
    )
    answer = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=300, check=True)
    printed, _, loaded = answer.stdout.rstrip("\n").rpartition("\n")
    return printed, set(json.loads(loaded))


def test_the_version_is_printed() -> None:
    assert lsmtune("--version").stdout == f"lsmtune {__version__}\n"


def test_a_complaint_that_cannot_be_written_leaves_the_exit_code() -> None:
    command = [sys.executable, "-m", "lsmtune", "show", "--nonsense"]
    with Path("/dev/full").open("w") as full:
        assert subprocess.run(command, stderr=full, timeout=300, check=False).returncode == 2


def test_help_names_every_command() -> None:
    answer = lsmtune("--help")
    assert answer.returncode == 0
    for command in ("doctor", "init", "tune", "show", "export", "options", "schema"):
        assert f"  {command} " in answer.stdout


def test_help_imports_nothing_heavy() -> None:
    _, loaded = printed_and_loaded(("--help",), {"numpy", "scipy", "optuna", "pydantic", "rich"})
    assert loaded == set()


def test_a_study_is_shown_without_what_takes_longest_to_load() -> None:
    words = ("show", str(STUDIES / "tune-front"))
    printed, loaded = printed_and_loaded(words, {"scipy.stats", "pandas", "optuna", "sklearn", "plotly"})
    assert "tune-front: improved" in printed
    assert loaded == set()


def test_init_writes_an_experiment_that_loads(tmp_path: Path) -> None:
    assert lsmtune("init", "mine.toml", cwd=tmp_path).returncode == 0
    assert load_experiment(tmp_path / "mine.toml").workload().benchmarks == ("fillrandom",)


def test_the_schema_is_json() -> None:
    assert json.loads(lsmtune("schema").stdout)["type"] == "object"


def test_options_are_checked_against_the_installed_engine() -> None:
    listed = json.loads(lsmtune("options", "--json").stdout)
    assert len(listed) >= 60
    here = {option["name"]: option["here"] for option in listed}
    assert here["write_buffer_size"] == "yes"
    assert here["bottommost_compression"] == "by OPTIONS file"


def test_an_option_is_explained_by_its_options_key() -> None:
    answer = lsmtune("options", "max_subcompactions").stdout
    assert answer.split()[0] == "subcompactions"
    assert "price" in answer


def test_an_option_says_since_when_it_changes_online_and_what_it_takes_on_the_installed_engine() -> None:
    said = " ".join(lsmtune("options", "block_size").stdout.split())
    assert "online since RocksDB 9.8; data on disk that depends on it: files" in said
    (block,) = json.loads(lsmtune("options", "block_size", "--json").stdout)
    version = json.loads(lsmtune("doctor", "--runs", "0", "--json").stdout)["build"]["version"]
    is_late = tuple(map(int, version.split("."))) >= (9, 8)
    assert (block["online_since"], block["mutability"]) == ("9.8", "online" if is_late else "restart")
    assert ("restart, online since" in said) is not is_late


def test_an_option_says_for_which_values_of_others_it_has_an_effect() -> None:
    said = " ".join(lsmtune("options", "blob_garbage_collection_force_threshold").stdout.split())
    assert (
        "works if enable_blob_files is true and enable_blob_garbage_collection is true and compaction_style is level"
        in said
    )
    said = " ".join(lsmtune("options", "compression_level").stdout.split())
    assert (
        "works if compression_type is lz4 (since 11.5) or lz4hc or zlib or zstd, or if bottommost_compression is "
        "lz4 (since 11.5) or lz4hc or zlib or zstd" in said
    )


def test_the_doctor_tells_what_it_found_as_json() -> None:
    found = json.loads(lsmtune("doctor", "--runs", "0", "--json").stdout)
    assert found["build"]["engine"] == "rocksdb"
    assert found["found"]
    assert "none" in found["build"]["compressors"]
    assert found["host"]["cores"] >= 1
    assert [each["name"] for each in found["limits"]] == ["memory", "bandwidth", "direct I/O"]
    assert all(bool(each["how"]) != bool(each["trouble"]) for each in found["limits"])
    assert [build["engine"] for build in found["driven"]] == ["leveldb", "rocksdb"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_there_for_the_usual_shells(shell: str) -> None:
    answer = subprocess.run(
        [str(Path(sys.executable).with_name("lsmtune"))],
        env={"_LSMTUNE_COMPLETE": f"source_{shell}"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "lsmtune" in answer.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stopped_tuning_says_that_it_goes_on(tmp_path: Path, number: int) -> None:
    experiment = tmp_path / "e.toml"
    experiment.write_text(
        'scale = "1/64"\n[workload]\nbenchmarks = "fillrandom"\nnum = "64M"\n'
        '[space]\noptions = ["write_buffer_size"]\n[host]\nmin_free = "100MiB"\ndisturbed = "use"\n'
    )
    command = [sys.executable, "-m", "lsmtune", "tune", str(experiment), "--study", str(tmp_path / "s")]
    # Who runs the tests may ignore it, as nohup does. PLW1509: one call of the system, where no thread runs.
    hears = partial(signal.signal, signal.SIGHUP, signal.SIG_DFL)
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=hears)  # noqa: PLW1509
    wait_until(lambda: process.poll() is not None or list(tmp_path.glob("s/scratch/run-1/db/LOG")))
    process.send_signal(number)
    _, complaint = process.communicate(timeout=300)
    assert process.returncode == 130, complaint
    assert complaint.endswith("lsmtune: stopped; what was measured is kept, the same command goes on\n")
    assert not (tmp_path / "s" / "scratch").exists()
