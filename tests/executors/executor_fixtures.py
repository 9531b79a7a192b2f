"""Tests of executors have a host lock of their own, so that they neither wait for others nor hold them up."""

import math
from pathlib import Path

import pytest
from executor_builders import Fake

from lsmtune.backends.rocksdb import discover
from lsmtune.executors import _held, _local, _process
from lsmtune.model import EngineBuild
from lsmtune.testing.fake_db_bench import VARIABLE, install


@pytest.fixture(scope="session")
def fake_build(tmp_path_factory: pytest.TempPathFactory) -> EngineBuild:
    """A fake db_bench, discovered once."""
    return discover(install(tmp_path_factory.mktemp("fake")))


@pytest.fixture
def rests_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """All runs are of a program that stands in for an engine: it has one thread, which rests once it is held."""
    monkeypatch.setattr(_held, "_LOOK_S", 0.01)
    monkeypatch.setattr(_held, "_QUIET_S", 0.02)


@pytest.fixture
def fake(fake_build: EngineBuild, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rests_at_once: None) -> Fake:
    """Makes executors of the fake db_bench in a folder of the test's own."""
    monkeypatch.setenv("LSMTUNE_HOST_LOCK", str(tmp_path / "host.lock"))
    monkeypatch.setattr(_process, "_LOOK_S", 0.05)  # runs of the fake are short
    monkeypatch.setattr(_local, "_JUDGED_S", math.inf)  # how busy this machine is decides about no test
    monkeypatch.delenv(VARIABLE, raising=False)
    return Fake(fake_build, tmp_path / "scratch", monkeypatch)
