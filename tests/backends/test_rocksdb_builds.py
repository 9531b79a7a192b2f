"""Finding a db_bench and finding out what it is."""

import hashlib
import re
import subprocess
from pathlib import Path

import pytest
from executor_builders import ends_soon, wait_until
from rocksdb_builders import FALLING_BACK, VERSIONS, fixture, script

from lsmtune.backends import _program
from lsmtune.backends.rocksdb import ENVIRONMENT_VARIABLE, discover, find_db_bench, parse_help
from lsmtune.errors import EngineError, StartError


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(ENVIRONMENT_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.usefixtures("nothing_installed")
def test_an_explicit_path_wins_over_the_environment_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, "/nowhere/db_bench")
    path = script(tmp_path, "true")
    assert find_db_bench(path) == path


@pytest.mark.usefixtures("nothing_installed")
def test_the_environment_variable_wins_over_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    script(tmp_path / "empty", "true")
    path = script(tmp_path, "true")
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, str(path))
    assert find_db_bench() == path


@pytest.mark.usefixtures("nothing_installed")
def test_path_is_searched_last(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    path = script(tmp_path / "empty", "true")
    assert find_db_bench() == path


@pytest.mark.usefixtures("nothing_installed")
def test_a_machine_without_db_bench_is_told_where_one_comes_from() -> None:
    with pytest.raises(EngineError, match=r"LSMTUNE_DB_BENCH .*PATH; .*apt-get install rocksdb-tools.*--db-bench PATH"):
        find_db_bench()


def test_a_relative_path_becomes_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script(tmp_path, "true")
    monkeypatch.chdir(tmp_path)
    assert find_db_bench(Path("db_bench")).is_absolute()


def test_what_is_no_program_is_refused_with_the_reason(tmp_path: Path) -> None:
    plain = script(tmp_path, "true")
    plain.chmod(0o644)
    text = tmp_path / "notes"
    text.write_text("no program")
    text.chmod(0o755)
    for path, reason in (
        (tmp_path, "is a directory"),
        (tmp_path / "missing", "does not exist"),
        (plain, "is not executable"),
        (text, "neither an ELF program nor a script"),
    ):
        with pytest.raises(EngineError, match=reason) as caught:
            find_db_bench(path)
        assert str(path) in str(caught.value)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_flag_of_a_help_page_is_read(version: str) -> None:
    text = fixture(version, "help.txt")
    assert list(parse_help(text)) == re.findall(r"^    -(\w+)\s+\(", text, re.MULTILINE)


def test_types_defaults_and_wrapped_descriptions_are_read() -> None:
    flags = parse_help(fixture("7.8.3", "help.txt"))
    bits = flags["bloom_bits"]
    assert (bits.type, bits.default) == ("int32", "-1")
    assert bits.description == "Bloom filter bits per key. Negative means use default.Zero disables."
    assert flags["compression_type"].default == "snappy"
    assert flags["block_cache_trace_path"].default == ""
    assert flags["benchmarks"].default.startswith("fillseq,")
    assert (flags["help"].type, flags["help"].default) == ("bool", "false")


def test_flags_of_all_sections_are_read() -> None:
    flags = parse_help(fixture("7.8.3", "help.txt"))
    assert {"mrc_only", "write_buffer_size", "flagfile", "helpxml"} <= set(flags)


def test_the_installed_db_bench_is_discovered() -> None:
    build = discover(find_db_bench())
    assert build.engine == "rocksdb"
    assert len(build.version_tuple) == 3
    assert {"none", "snappy", "zstd"} <= set(build.compressors)
    assert "xpress" not in build.compressors
    assert re.fullmatch("[0-9a-f]{16}", build.fingerprint)
    assert dict(build.flags)["write_buffer_size"] == "67108864"


def test_the_fingerprint_covers_the_library_that_the_binary_loads() -> None:
    path = find_db_bench()
    of_binary_alone = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    loads_a_library = "librocksdb" in subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
    assert (discover(path).fingerprint != of_binary_alone) is loads_a_library


def test_an_assertion_build_is_recognised(tmp_path: Path) -> None:
    warning = "WARNING: Assertions are enabled; benchmarks unnecessarily slow"
    assert discover(script(tmp_path, FALLING_BACK + f"echo '{warning}'")).assertions


def test_a_compressor_that_silently_falls_back_does_not_count(tmp_path: Path) -> None:
    build = discover(script(tmp_path, FALLING_BACK))
    assert build.version == "9.1.0"
    assert build.compressors == ("none", "snappy")
    assert not build.assertions


def test_codes_of_newer_logs_are_read_as_compressors(tmp_path: Path) -> None:
    newer = FALLING_BACK.replace("name=Snappy", 'name="BuiltinV2;01;"').replace("name=NoCompression", "name=BuiltinV2")
    assert discover(script(tmp_path, newer)).compressors == ("none", "snappy")


def test_another_program_is_refused_with_what_it_printed(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"is not a db_bench: .*hello from another program"):
        discover(script(tmp_path, "echo hello from another program"))


def test_a_db_bench_that_writes_nothing_is_refused(tmp_path: Path) -> None:
    body = "echo 'RocksDB:    version 9.1.0' >&2; echo 'open error: disk on fire' >&2; exit 1"
    with pytest.raises(EngineError, match=r"not a working db_bench.*disk on fire"):
        discover(script(tmp_path, body))


def test_a_hanging_program_is_stopped_with_its_children(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    communicate = subprocess.Popen[str].communicate

    def begun(process: "subprocess.Popen[str]", timeout: float | None = None) -> tuple[str, str]:
        wait_until(lambda: (tmp_path / "child").exists() and (tmp_path / "child").read_text())
        return communicate(process, timeout=timeout)

    monkeypatch.setattr(subprocess.Popen, "communicate", begun)
    monkeypatch.setattr(_program, "TIMEOUT_S", 0.2)
    with pytest.raises(EngineError, match=r'"db_bench --help" did not end within 0\.2 s'):
        discover(script(tmp_path, f"sleep 60 & echo $! > {tmp_path}/child; wait"))
    assert ends_soon(int((tmp_path / "child").read_text()))


def test_a_program_that_cannot_start_is_told_from_one_that_refuses(tmp_path: Path) -> None:
    path = tmp_path / "db_bench"
    path.write_text("#!/no/such/interpreter\n")
    path.chmod(0o755)
    with pytest.raises(StartError, match="cannot be started"):
        discover(path)
