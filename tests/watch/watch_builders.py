"""A live page in a process of its own, asked as a browser or an attacker would, and studies for it."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsmtune.store import DATABASE, lock_holder
from lsmtune.testing import fake_db_bench

WAITS_S = 60.0
STOPPED = (130, -signal.SIGINT)
"""Exit codes of an interrupted command. Python ends by the signal itself where it came while the text of a program was
executed, as in an import that makes dataclasses; for a shell both are 130."""
EXPERIMENT = """
name = "watched"
[workload]
benchmarks = "fillrandom"
num = "100K"
[space]
options = ["write_buffer_size", "max_background_jobs", "compression_type"]
[host]
disturbed = "use"
min_free = "1MiB"
"""


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def data(self) -> Any:
        """The text as JSON."""
        return json.loads(self.text)


@dataclass
class Page:
    """A live page that runs.

    Attributes:
        address: as it was printed.
        process: that serves it.
        cookie: what its token was exchanged for.
    """

    address: str
    process: "subprocess.Popen[str]"
    cookie: str = ""

    @property
    def port(self) -> int:
        """Where it listens."""
        found = re.match(r"http://127\.0\.0\.1:(\d+)/\?token=", self.address)
        assert found is not None, self.address
        return int(found[1])

    @property
    def origin(self) -> str:
        """Its origin."""
        return f"http://127.0.0.1:{self.port}"

    def ask(self, path: str, method: str = "GET", *, cookie: bool = True, **headers: str) -> Answer:
        """Ask for a path as it is, without mending it; `headers` with ``_`` for ``-``."""
        with self._asked(path, method, cookie=cookie, **headers) as (answer, text):
            return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, text())

    def enter(self) -> None:
        """Exchange the token for the cookie."""
        answer = self.ask(self.address.removeprefix(self.origin), cookie=False)
        assert answer.status == 303
        self.cookie = answer.headers["set-cookie"].partition(";")[0]

    def keys(self) -> dict[str, str]:
        """Return the keys of the studies of a folder by title."""
        return {name: key for key, name in re.findall(r'href="/study/(\w+)">([^<]*)</a>', self.ask("/").text)}

    def found(self, title: str) -> str:
        """Wait until a study of a folder is found, and return its key."""
        deadline = time.monotonic() + WAITS_S
        while title not in (keys := self.keys()):
            assert time.monotonic() < deadline, f"{title} was never found"
            time.sleep(0.05)
        return keys[title]

    @contextmanager
    def events(self, path: str, last: str = "") -> Iterator["Events"]:
        """Listen to a stream of events."""
        headers = {"Last_Event_ID": last} if last else {}
        with self._asked(path, "GET", cookie=True, **headers) as (answer, _):
            assert answer.status == 200
            yield Events(answer)

    @contextmanager
    def _asked(self, path: str, method: str, *, cookie: bool, **headers: str) -> Iterator[tuple[Any, Any]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAITS_S)
        try:
            connection.putrequest(method, path, skip_host="Host" in headers, skip_accept_encoding=True)
            if cookie and self.cookie:
                connection.putheader("Cookie", self.cookie)
            for name, value in headers.items():
                connection.putheader(name.replace("_", "-"), value)
            connection.endheaders()
            answer = connection.getresponse()
            yield answer, lambda: answer.read().decode()
        finally:
            connection.close()


@dataclass
class Events:
    """A stream of events, read one by one."""

    answer: Any
    last: str = ""
    heard: list[tuple[str, Any]] = field(default_factory=list)

    def next(self) -> tuple[str, Any]:
        """Wait for the next event and return its name and data."""
        name, data = "", ""
        deadline = time.monotonic() + WAITS_S
        while line := self.answer.readline().decode():
            assert time.monotonic() < deadline, "nothing but signs of life"
            line = line.rstrip("\n")
            if not line and name:
                self.heard.append((name, json.loads(data)))
                return self.heard[-1]
            kind, _, value = line.partition(": ")
            if kind == "id":
                self.last = value
            elif kind == "event":
                name = value
            elif kind == "data":
                data = value
        raise AssertionError("the stream ended")

    def until(self, name: str) -> Any:
        """Read on to the next event with a name and return its data."""
        while True:
            found, data = self.next()
            if found == name:
                return data


@contextmanager
def served(place: Path, *words: str, state: Path) -> Iterator[Page]:
    """Serve a page as the command does; `state`: where what outlives it is kept."""
    command = [
        sys.executable,
        "-m",
        "lsmtune",
        "watch",
        str(place),
        *(words if "--port" in words else ("--port", "0", *words)),
    ]
    environment = {**os.environ, "XDG_STATE_HOME": str(state)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("Open "), process.stderr.read() if process.stderr else ""
            page = Page(line.split()[1], process)
            page.enter()
            yield page
        finally:
            process.terminate()
            process.communicate(timeout=WAITS_S)


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def tuning(
    folder: Path, budget: str = "44 runs", misbehave: str = "sleep=0.1", *, behind: bool = False
) -> Iterator["subprocess.Popen[str]"]:
    """Tune a stand-in for db_bench by the command, in a process of its own, into ``study`` of a folder.

    `behind`: as a shell starts what stands before an "&".
    """
    (folder / "experiment.toml").write_text(EXPERIMENT)
    program = fake_db_bench.install(folder)
    words = ["experiment.toml", "--study", "study", "--budget", budget, "--db-bench", str(program), "--quiet"]
    command = [sys.executable, "-m", "lsmtune", "tune", *words]
    environment = {**os.environ, fake_db_bench.VARIABLE: misbehave}
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=folder,
        preexec_fn=_ignore_interrupts if behind else None,  # noqa: PLW1509 - this process has no other threads
    ) as process:
        try:
            deadline = time.monotonic() + WAITS_S
            while not (folder / "study" / DATABASE).exists() or lock_holder(folder / "study") is None:
                assert process.poll() is None, process.communicate()[1]
                assert time.monotonic() < deadline, "the study never began"
                time.sleep(0.05)
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
            process.communicate(timeout=WAITS_S)
