"""Make small finished studies with the code of a commit, and keep what that code said of them.

    python tools/freeze_studies.py FOLDER [--prefix TEXT] [NAME ...]

Each study goes into FOLDER/NAME: ``study.sqlite``, ``experiment.toml``, and what was said of it: ``show.txt``,
``show.json``, ``report.txt`` (the words of the page), ``export.FORMAT``. `tests/test_frozen_studies.py` compares them
with what is said today, so a study that is there is not made again: it would then say what it is compared with. What
lies in tests/data/studies was made by commit 24738b8, and by the last commits that wrote schemas 1 and 2:

    git worktree add /tmp/older f0714f1
    export PYTHONPATH=/tmp/older/src FREEZE="python tools/freeze_studies.py FOLDER"
    $FREEZE --prefix schema-1- tune-pruned tune-nothing
    git -C /tmp/older switch --detach c1ebeca
    $FREEZE --prefix schema-2- tune-improved steps compare sweep-options sample nni-command

Runs are made by the fake engine of that commit, in the place of the executor that the commands use; the options are
those of the db_bench in PATH. The host is one that does not exist.
"""

import argparse
import io
import json
import math
import os
import re
import shutil
import sqlite3
import sys
import tempfile
import textwrap
from collections.abc import Mapping, Sequence
from contextlib import chdir, closing, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from unittest.mock import patch

import numpy as np

from lsmtune import cli
from lsmtune.executors import Executor, Limits, Watcher
from lsmtune.model import Measurement, Outcome, Purpose, Run, Status
from lsmtune.testing import FakeExecutor, Fault, Faults, Noise, Surface

FORMATS = ("options-file", "flags", "json")
"""Of exports; those that do not fit a study are left out."""

_HOST = {
    "name": "bench-1",
    "fingerprint": "fedcba9876543210",
    "processor": "Some CPU",
    "cores": 2,
    "memory_bytes": 8 << 30,
    "kernel": "6.1.0",
    "filesystem": "ext4",
    "disk_free_bytes": 80 << 30,
}
_CREATED_AT = 1.7e9
_CODE_FOLDER = "/srv/trial"
_OTHER_BUILD = "another build"
_QUIET = Noise(rate=0.03)

_WORKLOAD = '[workload]\nbenchmarks = "fillrandom"\nnum = "1M"\n'
_SPACE = """[space]
options = ["write_buffer_size", "max_write_buffer_number", "level0_file_num_compaction_trigger", "max_background_jobs",
  "compression_type", "block_size"]
[space.ranges]
write_buffer_size = { low = "8MiB", high = "512MiB" }
compression_type = { values = ["none", "snappy", "lz4"] }
"""
_GUARD = '[guards]\nspace_bytes = "1.10x"\n'
_TUNE = _WORKLOAD + _SPACE + _GUARD
_FRONT = "[objective]\nthroughput_settled_ops_s = 1.0\nmemory_peak_bytes = 0.3\n[search]\npareto = true\n"
_RUNGS = '[search]\nrungs = ["1/4"]\n'
_SWEEP = """[sweep]
rival = "style"
repeats = 3
[sweep.options]
block_size = ["4KiB", "16KiB"]
max_background_jobs = [2, 4]
[[sweep.variants.style]]
name = "plain"
set = { compression_type = "snappy", write_buffer_size = "64MiB" }
[[sweep.variants.style]]
name = "raw"
set = { compression_type = "none", write_buffer_size = "64MiB" }
"""
_SWEEP_OF_OPTIONS = """[sweep]
rival = "compression_type"
repeats = 3
[sweep.options]
block_size = ["4KiB", "16KiB"]
compression_type = ["none", "snappy"]
"""
_SAMPLE = """[search]
noise_runs = 3
[sample]
runs = 16
test = 4
replicates = 2
[sample.axes]
value_size = { low = 100, high = 400 }
"""
_REPRODUCE = """[objective]
waf = 1.0
space_bytes = 1.0
total_time_s = 1.0
throughput_settled_ops_s = 1.0
[sample]
runs = 16
replicates = 0
[reproduce]
of = "jin2022"
leaders = 2
generations = 2
pairs = 3
"""
_NNI = """searchSpaceFile: search_space.json
trialCommand: python3 trial.py
maxTrialNumber: 50
trainingService: {platform: local}
tuner: {name: TPE, classArgs: {optimize_mode: maximize}}
"""
_OPTIONS_TRIAL = """params = {"benchmarks": "fillrandom", "key_size": 20, "value_size": 100, "num": 640000,
    "disable_wal": 1, "max_write_buffer_number": 16, "write_buffer_size": 67108864,
    "level0_file_num_compaction_trigger": 4}  # db_bench
"""
_OPTIONS_SPACE = {
    "write_buffer_size": {"_type": "quniform", "_value": [8388608, 268435456, 1048576]},
    "level0_file_num_compaction_trigger": {"_type": "quniform", "_value": [2, 16, 1]},
}
_COMMAND_SPACE = {"x": {"_type": "uniform", "_value": [0, 4]}, "mode": {"_type": "choice", "_value": ["slow", "fast"]}}


@dataclass(frozen=True)
class Frozen:
    """A study to make.

    Attributes:
        words: the command and its options.
        text: of the experiment file, apart from its name; of NNI's configuration where there are files.
        executor: makes the runs.
        formats: of exports that are kept.
        files: that lie beside it, by name.
    """

    words: tuple[str, ...]
    text: str
    executor: Executor
    formats: tuple[str, ...] = ("json",)
    files: Mapping[str, str] = field(default_factory=dict)


class TrialExecutor(Executor):
    """Gives each run the score of a trial command that is never run."""

    def run(self, run: Run, limits: Limits, watch: Watcher) -> Outcome:  # noqa: ARG002 - nothing is waited for
        """Return a score that is best where x is 3 and the mode is fast."""
        values = run.configuration.values
        x, fast = float(values.get("x", 2.0)), values.get("mode") == "fast"
        noise = float(np.random.default_rng(run.seed).normal(0.0, 0.02))
        score = 100.0 * (1.0 - 0.1 * (x - 3.0) ** 2 + 0.1 * fast) * math.exp(noise)
        return Outcome(Status.OK, _CREATED_AT + 3.0 * run.id, 2.0, "", Measurement({"trial_score": score}))

    def close(self) -> None:
        """Do nothing: there is nothing to give back."""


def fake(
    gain: float, noise: Noise = _QUIET, faults: Faults = lambda _: None, matters: frozenset[str] = frozenset()
) -> Executor:
    """Return the fake engine; `gain` is that of the best point, made by all options or by those that matter."""
    return FakeExecutor(Surface(gain, matters), noise, 3, faults)


def fails_fresh(run: Run) -> Fault | None:
    """Let a third of the fresh runs of candidates fail."""
    fresh = run.purpose in (Purpose.VERIFY, Purpose.CONFIRM) and run.arm != "db_bench"
    return Fault.FAIL if fresh and run.seed % 3 == 0 else None


def studies() -> dict[str, Frozen]:
    """Return all studies by name."""
    loose = Noise(rate=0.03, space=0.15)  # leaves a guard on space open
    tune, design = ("tune",), _WORKLOAD + _GUARD
    tune, design, none = ("tune",), _WORKLOAD + _GUARD, ()
    few = fake(0.6, matters=frozenset({"write_buffer_size", "compression_type"}))
    against = ("compare", "--against", _OTHER_BUILD)
    return {
        "tune-pruned": Frozen(tune, _budget(120) + _TUNE, few, FORMATS),
        "tune-improved": Frozen(tune, _budget(50) + _TUNE, fake(0.8)),
        "tune-nothing": Frozen(tune, _budget(40) + _TUNE, fake(0.0)),
        "tune-failing": Frozen(tune, _budget(50) + _TUNE, fake(0.8, faults=fails_fresh)),
        "tune-guard-open": Frozen(tune, _budget(50) + _TUNE, fake(0.8, loose)),
        "tune-front": Frozen(tune, _budget(80) + _WORKLOAD + _SPACE + _FRONT, fake(0.8)),
        "tune-rungs": Frozen(tune, _budget(140) + _TUNE + _RUNGS, fake(0.8)),
        "steps": Frozen(("tune", "--sampler", "steps"), _changes("steps") + _budget(200) + _TUNE, fake(0.6)),
        "compare": Frozen(("compare",), _changes("compare") + _budget(200) + _TUNE, fake(0.6)),
        "compare-builds": Frozen(against, _changes("compare") + _budget(200) + _TUNE, fake(0.6)),
        "sweep": Frozen(("sweep",), design + _SWEEP, fake(0.6), none),
        "sweep-options": Frozen(("sweep",), design + _SWEEP_OF_OPTIONS, fake(0.6), none),
        "sample": Frozen(("sample",), _TUNE + _SAMPLE, fake(0.6), none),
        "reproduce": Frozen(("reproduce",), _WORKLOAD + _SPACE + _REPRODUCE, fake(0.6), none),
        "nni-options": Frozen(("nni",), _NNI, fake(0.8), files=_nni_files(_OPTIONS_SPACE, _OPTIONS_TRIAL)),
        "nni-command": Frozen(("nni",), _NNI, TrialExecutor(), files=_nni_files(_COMMAND_SPACE, "import nni\n")),
    }


def _budget(runs: int) -> str:
    return f"[budget]\nruns = {runs}\n"


def _changes(table: str) -> str:
    sets = {"larger buffer": 'write_buffer_size = "128MiB"', "larger blocks": 'block_size = "16KiB"'}
    sets["lz4"] = 'compression_type = "lz4"'
    return "".join(f'[[{table}]]\nname = "{name}"\nset = {{ {values} }}\n' for name, values in sets.items())


def _nni_files(space: object, trial: str) -> dict[str, str]:
    return {"search_space.json": json.dumps(space), "trial.py": trial}


def make(name: str, place: Path) -> Path:
    """Make a study in a folder and return the folder of the study."""
    frozen, folder = studies()[name], place / name
    for file, text in frozen.files.items():
        (place / file).write_text(text)
    asked = place / ("config.yml" if frozen.files else "experiment.toml")
    asked.write_text(f"experimentName: {name}\n{frozen.text}" if frozen.files else f'name = "{name}"\n{frozen.text}')
    command, *options = [_built(place) if word == _OTHER_BUILD else word for word in frozen.words]
    with patch("lsmtune.executors.LocalExecutor", lambda *_: frozen.executor):
        said(command, str(asked), "--study", str(folder), *options)
    _make_neutral(folder, place)
    return folder


def _built(place: Path) -> str:
    """Make a stand-in for another build of the engine."""
    from lsmtune.testing.fake_builds import install_build  # the commits of schema 2 have none

    return str(install_build(place / "other", "11.8.1"))


def _make_neutral(folder: Path, place: Path) -> None:
    """Take this machine and this moment out of a study, and what the database has no use for."""
    with closing(sqlite3.connect(folder / "study.sqlite")) as database:
        told = database.execute("SELECT experiment, build, facts FROM description").fetchone()
        texts = [each.replace(str(place), _CODE_FOLDER) for each in told]
        changed = (*texts, json.dumps(_HOST), _CREATED_AT)
        database.execute(
            "UPDATE description SET experiment = ?, build = ?, facts = ?, host = ?, created_at = ?", changed
        )
        database.commit()
        database.executescript(
            "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM; PRAGMA journal_mode = WAL"
        )
    (folder / "experiment.toml").write_text(texts[0])


class _Text(HTMLParser):
    """The words of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.feed(page)
        self.close()

    def handle_data(self, data: str) -> None:
        self.words += data.split()


def words_of_page(page: str) -> str:
    """Return the words of an HTML page outside of scripts, styles and pictures, in lines."""
    words = " ".join(_Text(re.sub(r"<(script|style|svg)\b.*?</\1>", "", page, flags=re.DOTALL)).words)
    return textwrap.fill(words, 120, break_long_words=False, break_on_hyphens=False) + "\n"


def said(*words: str) -> str:
    """Run lsmtune in this process and return what it printed.

    Raises:
        RuntimeError: it failed.
    """
    out, err = io.StringIO(), io.StringIO()
    with patch.object(sys, "argv", ["lsmtune", *words]), redirect_stdout(out), redirect_stderr(err):
        try:
            cli.main()
        except SystemExit as ended:
            if ended.code:
                raise RuntimeError(f"lsmtune {' '.join(words)}: {err.getvalue()}") from None
    return out.getvalue()


def all_said(study: str, formats: Sequence[str]) -> dict[str, str]:
    """Return what this code says of a study in the current folder, by name of the file to keep it in."""
    texts = {"show.txt": said("show", study), "show.json": _compact(said("show", study, "--json"))}
    with suppress(RuntimeError):  # older commits have no report, or none of a command
        said("report", study)
        texts["report.txt"] = words_of_page(Path(study, "report.html").read_text())
    for name in formats:
        text = said("export", study, "--format", name)
        texts[f"export.{name}"] = _compact(text) if name == "json" else text
    return texts


def _compact(text: str) -> str:
    return json.dumps(json.loads(text), separators=(",", ":")) + "\n"


def freeze(name: str, prefix: str, folder: Path) -> None:
    """Make a study and keep it with what is said of it."""
    with tempfile.TemporaryDirectory() as place:
        made = make(name, Path(place).resolve())
        study = made.rename(made.with_name(f"{prefix}{name}"))
        with chdir(place):
            texts = all_said(study.name, studies()[name].formats)
        target = folder / study.name
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for file in ("study.sqlite", "experiment.toml"):
            shutil.copy(study / file, target)
        for file, text in texts.items():
            (target / file).write_text(text)
    sys.stdout.write(f"{target}: {', '.join(texts)}\n")


def main() -> None:
    """Freeze what the command line names; all where it names nothing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(studies()))
    parser.add_argument("--prefix", default="")
    wanted = parser.parse_intermixed_args()
    os.environ.update(COLUMNS="100", LSMTUNE_DB_BENCH=shutil.which("db_bench") or "db_bench")
    for name in wanted.names or studies():
        freeze(name, wanted.prefix, wanted.folder.resolve())


if __name__ == "__main__":
    main()
