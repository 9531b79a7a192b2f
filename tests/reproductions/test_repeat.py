"""Each page that repeats a published work is repeated by one command: from what is recorded, or with an engine."""

import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from page_scripts import RECORDED, script

PAGES = sorted(path.parent for path in RECORDED.glob("*/repeat.toml"))
PUBLISHED = {"jin2022", "leveldb-ycsb", "nni-fillrandom", "rocksdb-festival"}
OURS = {"tune.toml", "not-inferior.toml"}
"""Experiments of the hour of jin2022, in folders of their own."""
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
"""
COMPARE = """
[workload]
benchmarks = "fillrandom"
num = "20k"
settle = "none"
[search]
noise_runs = 3
[host]
min_free = "1MiB"
disturbed = "use"
[budget]
runs = 18
[[compare]]
name = "larger memtables"
set = { write_buffer_size = "128MiB" }
"""
MANIFEST = """
[parts.styles]
read = ["python ../ratios.py styles/runs.parquet throughput_ops_s"]
[parts.memtables]
run = "lsmtune compare memtables.toml"
read = ["python ../pairs.py memtables"]
"""
CHILD = """
import signal, sys, time
from pathlib import Path
def stop(_number, _frame):
    Path("heard").touch()
    sys.exit(130)
signal.signal(signal.SIGTERM, stop)
Path("ready").touch()
time.sleep(60)
"""
LATER = """
[parts.later]
run = ""
read = ["python later.py"]
"""
PATIENCE_S = 120.0


@pytest.fixture(scope="module")
def repeat() -> ModuleType:
    return script(RECORDED / "repeat.py")


def repeated(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(RECORDED / "repeat.py"), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def commands(page: Path) -> Iterator[list[str]]:
    """Yield the commands of lsmtune and Python that stand on a page, as words."""
    variables: dict[str, str] = {}
    text = (page / "README.md").read_text().replace("\\\n", " ")
    for line in re.findall(r"^ {4}(\S.*)$", text, re.MULTILINE):
        if found := re.match(r"(\w+)=(\"[^\"]*\"|\S+)", line):
            variables[found[1]] = found[2].strip('"')
        elif line.startswith(("lsmtune ", "python ")):
            known = re.sub(r"\$(\w+)", lambda found: variables[found[1]], line)
            yield from (shlex.split(command, comments=True) for command in known.split(" ; "))


def test_all_pages_of_published_works_are_repeated() -> None:
    assert {page.name for page in PAGES} == PUBLISHED


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_recorded_is_a_part_and_what_a_part_runs_is_there(page: Path, repeat: ModuleType) -> None:
    parts = {part.name: part for part in repeat.parts(page)}
    assert {path.parent.name for path in page.glob("*/runs.*")} <= parts.keys()
    assert {shlex.split(part.run)[2] for part in parts.values() if part.run} >= {
        path.name for path in page.glob("*.toml") if path.name != "repeat.toml"
    }
    for part in parts.values():
        recorded = not part.run or any((page / part.name).glob("runs.*"))
        assert not part.run or (page / shlex.split(part.run)[2]).exists()
        for word in (word for command in part.read for word in shlex.split(command)):
            kind = Path(word).suffix
            assert kind != ".py" or (page / word).exists(), f"{part.name}: {word}"
            assert kind != ".parquet" or not recorded or (page / word).exists(), f"{part.name}: {word}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_command_of_a_page_is_run_by_a_part(page: Path, repeat: ModuleType) -> None:
    known = [shlex.split(command) for part in repeat.parts(page) for command in (part.run, *part.read)]
    stood = 0
    for words in commands(page):
        if words[1] in ("build", "../repeat.py") or words[2] in OURS:
            continue
        asked = [word for word in words if word != "--study" and not word.startswith("studies/")]
        assert any(asked[:2] == each[:2] and set(asked) <= set(each) for each in known), shlex.join(words)
        stood += 1
    assert stood > 3


def test_a_card_is_shown_once(repeat: ModuleType) -> None:
    figures = "lsmtune reproduce x/runs.parquet --figures x/figures"
    assert repeat.Part.of("x", {"run": "lsmtune reproduce x.toml", "read": [figures]}).read == (figures,)
    other = "lsmtune sweep x/runs.parquet --indicator waf"
    assert repeat.Part.of("x", {"read": [other]}).read == ("lsmtune sweep x/runs.parquet", other)


def test_the_recorded_tables_are_read_without_an_engine(tmp_path: Path) -> None:
    parts = ("--only", "steps", "--only", "protocol-reopened")
    done = repeated("leveldb-ycsb", "--into", tmp_path / "again", *parts)
    assert done.returncode == 0, done.stderr
    page = (RECORDED / "leveldb-ycsb" / "README.md").read_text()
    assert "\n$ python ../pairs.py steps throughput_ops_s@load" in done.stdout
    assert "write buffer 8 MiB against what it builds on: 4.38x [4.30, 4.45], n = 6" in done.stdout
    assert "| here | 4.38x [4.30, 4.45] |" in page
    assert "the geometric mean of throughput_ops_s@load" in done.stdout
    assert "1.60x [1.49, 1.71], n = 6" in done.stdout
    assert "yes, 1.60x [1.49, 1.71] over all" in page
    assert "\n$ lsmtune sweep protocol-reopened/runs.parquet\n" in done.stdout
    assert "throughput_ops_s@b step 1: 1.562e+05, 0.777x [0.687, 0.879] of defaults, n = 20" in done.stdout
    assert "**0.78x [0.69, 0.88]**" in page
    assert not (tmp_path / "again" / "leveldb-ycsb" / "studies").exists()


def test_alone_a_page_is_listed_with_what_its_runs_took() -> None:
    done = repeated("leveldb-ycsb")
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line.split() for line in done.stdout.splitlines()}
    assert lines["steps"][1:3] == ["91", "runs"]
    assert lines["buffers-2m"][5:] == ["lsmtune", "sweep", "buffers-2m.toml"]
    assert float(lines["all"][3]) > float(lines["buffers-2m"][3]) == pytest.approx(1.0, abs=0.2)


def test_a_page_is_run_anew_goes_on_and_keeps_what_it_measured(tmp_path: Path) -> None:
    page = tmp_path / "page"
    page.mkdir()
    (page / "repeat.toml").write_text(MANIFEST)
    (page / "styles.toml").write_text(SWEEP)
    (page / "memtables.toml").write_text(COMPARE)
    (page / "styles").mkdir()
    shutil.copy(RECORDED / "leveldb-ycsb" / "buffers-2m" / "runs.parquet", page / "styles")
    done = repeated(page, "--into", tmp_path / "anew", "--anew", "--quiet", "--num", "10k")
    assert done.returncode == 0, done.stderr
    place = tmp_path / "anew" / "page"
    assert re.search(r"^throughput_ops_s universal: .* of level, n = 2$", done.stdout, re.MULTILINE)
    assert re.search(r"^larger memtables against the values before tuning: .*, n = ", done.stdout, re.MULTILINE)
    assert "--quiet --num 10k\n" in done.stdout
    assert (place / "styles" / "card.txt").read_text().splitlines()[1].startswith("compaction_style ")
    assert {path.name for path in (place / "memtables").iterdir()} >= {"runs.csv", "runs.parquet", "card.txt"}
    measured = (place / "styles" / "runs.parquet").read_bytes()
    again = repeated(page, "--into", tmp_path / "anew", "--anew", "--quiet", "--num", "10k", "--only", "styles")
    assert again.returncode == 0, again.stderr
    assert (place / "styles" / "runs.parquet").read_bytes() == measured, "all had been run"
    read = repeated(page, "--into", tmp_path / "anew", "--only", "styles")
    assert read.returncode == 0, read.stderr
    assert (place / "styles" / "runs.parquet").read_bytes() == measured, "what was measured stays"
    assert "of level, n = 2" in read.stdout


def test_what_cannot_be_run_stops_the_page_and_what_cannot_be_read_is_told_at_its_end(tmp_path: Path) -> None:
    page = tmp_path / "page"
    page.mkdir()
    (page / "repeat.toml").write_text(MANIFEST)
    (page / "styles.toml").write_text(SWEEP.replace("rival", "rivale"))
    (page / "memtables.toml").write_text(COMPARE)
    stopped = repeated(page, "--into", tmp_path / "anew", "--anew")
    assert stopped.returncode == 2
    assert stopped.stderr.splitlines()[-1] == "styles stopped with exit code 2; the same command goes on"
    unread = repeated(page, "--into", tmp_path / "unread")
    assert unread.returncode == 0, "nothing that is recorded failed"
    assert "styles: not recorded; --anew runs it" in unread.stdout
    (page / "styles").mkdir()
    (page / "styles" / "runs.parquet").write_bytes(b"torn")
    read = repeated(page, "--into", tmp_path / "read")
    assert read.returncode == 1
    assert read.stderr.splitlines()[-1].startswith("2 commands failed, the first of them: lsmtune sweep styles/")


@pytest.mark.parametrize(
    ("part", "words"),
    [("run = 'python child.py'", ["--anew"]), ("run = ''\nread = ['python child.py']", [])],
    ids=["that runs an experiment", "that reads tables"],
)
def test_sigterm_is_passed_on_to_the_command_and_nothing_follows(part: str, words: list[str], tmp_path: Path) -> None:
    page, place = tmp_path / "page", tmp_path / "into" / "page"
    page.mkdir()
    (page / "repeat.toml").write_text(f"[parts.first]\n{part}\n{LATER}")
    (page / "child.py").write_text(CHILD)
    (page / "later.py").write_text("from pathlib import Path\nPath('later').touch()\n")
    command = [sys.executable, str(RECORDED / "repeat.py"), str(page), "--into", str(tmp_path / "into"), *words]
    with (tmp_path / "said").open("w") as said, subprocess.Popen(command, stdout=said, stderr=said) as process:
        deadline = time.monotonic() + PATIENCE_S
        while not (place / "ready").exists():
            assert process.poll() is None, (tmp_path / "said").read_text()
            assert time.monotonic() < deadline, "the command never began"
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 128 + signal.SIGTERM
    assert (place / "heard").exists(), "the command goes on"
    assert not (place / "later").exists()
    assert (tmp_path / "said").read_text().endswith("stopped by SIGTERM; the same command goes on\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("memory",), "memory/repeat.toml: not found; the pages that can be repeated are jin2022, leveldb-ycsb"),
        (("leveldb-ycsb", "--only", "step"), "no part 'step'; it has steps, search"),
        (("leveldb-ycsb", "--anew"), "--anew runs experiments, so it needs --into FOLDER"),
        (("leveldb-ycsb", "--into", "x", "--num", "2k"), "--num is for the commands that run an experiment"),
    ],
)
def test_a_wrong_call_is_told(words: tuple[str, ...], told: str) -> None:
    done = repeated(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr.splitlines()[-1]


def test_a_wrong_key_of_a_page_is_told(tmp_path: Path) -> None:
    (tmp_path / "repeat.toml").write_text("[parts.one]\nruns = 'lsmtune sweep one.toml'\n")
    done = repeated(tmp_path)
    assert done.returncode == 2
    assert "repeat.toml: one has 'runs'; only run and read are known" in done.stderr
