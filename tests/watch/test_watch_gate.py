"""Nobody but who started the page comes in, and nothing of a study becomes markup."""

import asyncio
import re
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from html_builders import HOSTILE
from watch_builders import Page, served

from lsmtune.model import Configuration, Measurement, Outcome, Purpose, Run, Status
from lsmtune.store import create_study
from lsmtune.testing import FakePlan, fake_description, fake_rules, fake_space, fake_study
from lsmtune.watch._gate import Keys


def hostile(folder: Path) -> Path:
    """A study in which everything that can have a name is called like an attack."""
    description = fake_description(fake_rules(), fake_space())
    build = replace(description.build, version=HOSTILE, path=Path(f"/usr/bin/{HOSTILE}"))
    named = replace(description, name=HOSTILE, build=build, host=replace(description.host, name=HOSTILE))
    with create_study(folder, named) as study:
        for number in range(1, 7):
            purpose = Purpose.BASELINE if number < 4 else Purpose.TRIAL
            arm = "stock" if number < 4 else f"trial-{number}{HOSTILE}"
            values = {} if number < 4 else {"compression_type": HOSTILE}
            run = study.plan(Run(0, purpose, arm, None, Configuration.of(values), number, 1, host=HOSTILE))
            study.start(run)
            status = Status.FAILED if number == 6 else Status.OK
            measured = Measurement(
                {"throughput_settled_ops_s": 1e5 * number, "space_bytes": 1e9 / number},
                {**values},
                warnings=(f"code: {HOSTILE}",),
                facts={HOSTILE: HOSTILE},
            )
            study.finish(
                run, Outcome(status, 1.7e9 + number, 1.0, HOSTILE, measured, None, {"measure.stdout": HOSTILE})
            )
    return folder


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    place = tmp_path_factory.mktemp("gate")
    hostile(place / "hostile")
    with fake_study(place / "good", FakePlan()) as study:
        study.tune()
    (place / "secret.txt").write_text("nobody should read this")
    with served(place, state=place / "state") as found:
        yield found


def test_it_listens_on_this_machine_alone(page: Page) -> None:
    where = {
        each.laddr.ip for each in psutil.Process(page.process.pid).net_connections("inet") if each.status == "LISTEN"
    }
    assert where == {"127.0.0.1"}


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:1",
        "[::1]:{port}",
        "127.0.0.1:{port}.evil.example",
        "0.0.0.0:{port}",
        "",
    ],
)
def test_another_host_is_refused_even_with_the_cookie(page: Page, host: str) -> None:
    answer = page.ask("/", Host=host.format(port=page.port))
    assert answer.status == 421
    assert "hostile" not in answer.text


def test_the_name_of_this_machine_is_a_host(page: Page) -> None:
    assert page.ask("/", Host=f"localhost:{page.port}").status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}", None]
)
def test_another_origin_can_change_nothing(page: Page, method: str, origin: str | None) -> None:
    key = page.keys()["good"]
    path = f"/study/{key}/stop"
    answer = page.ask(path, method) if origin is None else page.ask(path, method, Origin=origin.format(port=page.port))
    assert answer.status == 403


@pytest.mark.parametrize(
    "path", ["/", "/events", "/assets/study.js", "/study/x", "/study/x/stop", "/?token=", "/?token=wrong"]
)
def test_without_the_token_nothing_is_told(page: Page, path: str) -> None:
    answer = page.ask(path, cookie=False)
    assert answer.status == 403
    assert answer.text == "Open the address that lsmtune watch printed, with its token.\n"
    assert "set-cookie" not in answer.headers


def test_a_wrong_cookie_opens_nothing(page: Page) -> None:
    name, _, value = page.cookie.partition("=")
    for wrong in (f"{name}={value[:-1]}", f"{name}=", f"other={value}", value, f"{name}={value}x"):
        assert page.ask("/", cookie=False, Cookie=wrong).status == 403


def test_the_token_becomes_a_cookie_that_no_script_reads_and_no_other_site_sends(page: Page) -> None:
    token = page.address.removeprefix(page.origin)
    answer = page.ask(token, cookie=False)
    assert (answer.status, answer.headers["location"]) == (303, "/")
    said = {part.strip() for part in answer.headers["set-cookie"].split(";")[1:]}
    assert said == {"Path=/", "HttpOnly", "SameSite=Strict"}
    assert page.address.rpartition("=")[2] not in answer.headers["set-cookie"]


def test_every_answer_has_the_policy(page: Page) -> None:
    key = page.keys()["good"]
    for path in ("/", f"/study/{key}", f"/study/{key}/run/1", "/assets/study.js", "/nothing", f"/study/{key}/runs"):
        answer = page.ask(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert {part.split()[1] for part in policy.split("; ")} <= {"'none'", "'self'"}
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/assets/%2e%2e/_gate.py",
        "/assets/uplot/LICENSE",
        "/study/../secret.txt",
        "/study/..%2fsecret.txt",
        "/study/%2fetc%2fpasswd",
        "/study/{key}/run/1/artefact/..%2f..%2f..%2fsecret.txt",
        "/study/{key}/run/1/artefact/..%2f..%2f..%2f..%2fsecret.txt%00",
        "/study/{key}/run/..%2f1/artefact/measure.stdout",
        "/study/{key}/run/1/artefact/../../../study.sqlite",
        "/../../../../etc/passwd",
        "//etc/passwd",
    ],
)
def test_no_path_leads_out(page: Page, path: str) -> None:
    answer = page.ask(path.format(key=page.keys()["hostile"]))
    assert answer.status in (400, 404)
    assert "nobody should read this" not in answer.text
    assert "root:" not in answer.text


def test_names_that_are_scripts_are_shown_as_text(page: Page) -> None:
    key = page.keys()["hostile"]
    paths = ("", "/run/5", "/run/6", "/pair?a=4&b=5", "/runs", "/parts", "/report")
    for path in paths:
        answer = page.ask(f"/study/{key}{path}")
        assert answer.status == 200, path
        text = (
            answer.data["html"]
            if path == "/runs"
            else answer.data["parts"]["html"]
            if path == "/parts"
            else answer.text
        )
        assert "<script>document.title" not in text, path
        assert "<img src=x" not in text, path
    assert "&lt;/script&gt;&lt;script&gt;" in page.ask(f"/study/{key}/run/5").text
    kept = page.ask(f"/study/{key}/run/5/artefact/measure.stdout")
    assert kept.text == HOSTILE
    assert kept.headers["content-type"].startswith("text/plain")


def test_together_escapes_too(page: Page) -> None:
    keys = page.keys()
    answer = page.ask(f"/together?a={keys['hostile']}&b={keys['good']}")
    assert answer.status == 200
    assert "<script>document.title" not in answer.text


def test_without_the_button_nothing_can_be_stopped(tmp_path: Path) -> None:
    with fake_study(tmp_path / "s", FakePlan()) as study, served(tmp_path, "--readonly", state=tmp_path) as page:
        key = page.keys()["s"]
        assert page.ask(f"/study/{key}/stop", "POST", Origin=page.origin).status == 404
        assert 'id="stop"' not in page.ask(f"/study/{key}").text
        assert study.study.runs() == []


def test_a_study_is_not_touched_by_being_watched(tmp_path: Path) -> None:
    with fake_study(tmp_path / "s", FakePlan()) as study:
        study.tune()
    before = {
        path: (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted((tmp_path / "s").rglob("*"))
        if path.is_file()
    }
    with served(tmp_path / "s", state=tmp_path / "state") as single:
        key = re.findall(r"/study/(\w+)", single.ask("/").headers["location"])[0]
        for path in ("", "/parts", "/runs", "/run/1", "/report"):
            assert single.ask(f"/study/{key}{path}").status == 200
        with single.events(f"/study/{key}/events") as events:
            events.until("runs")
    after = {
        path: (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted((tmp_path / "s").rglob("*"))
        if path.is_file()
    }
    assert {path: content for path, content in after.items() if path in before} == before
    assert all(path.name in ("study.sqlite-wal", "study.sqlite-shm") for path in after.keys() - before.keys())


def test_the_cookie_outlives_the_server_but_not_its_port_or_a_week(tmp_path: Path) -> None:
    first, again = Keys.make(8000, tmp_path), Keys.make(8000, tmp_path)
    assert first.cookie == again.cookie
    assert first.token != again.token
    assert Keys.make(8001, tmp_path).cookie != first.cookie
    assert (tmp_path / "watch.key").stat().st_mode & 0o777 == 0o600
    (tmp_path / "watch.key").chmod(0o644)
    assert Keys.make(8000, tmp_path).cookie != first.cookie


def asked_for(page: Page, path: str, more: str = "") -> str:
    """The text of a question that the gate lets in."""
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\nCookie: {page.cookie}\r\n{more}\r\n"


def test_ten_thousand_requests_at_once_are_answered_or_refused_and_the_page_goes_on(page: Page) -> None:
    wanted = 10_000
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < wanted + 1000:
        wanted = hard - 1000
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    question = asked_for(page, f"/study/{page.keys()['good']}", "Connection: close\r\n")
    got: list[bytes] = []

    async def one() -> None:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", page.port)
            with closing(writer):
                writer.write(question.encode())
                got.append((await reader.readline()).split(b" ", 2)[1])
        except (OSError, IndexError):
            got.append(b"refused")

    async def all_at_once() -> None:
        async with asyncio.timeout(240):
            await asyncio.gather(*(one() for _ in range(wanted)))

    before = psutil.Process(page.process.pid).memory_info().rss
    try:
        asyncio.run(all_at_once())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(got) == wanted
    assert set(got) <= {b"200", b"503", b"refused"}
    assert {b"200", b"503"} & set(got), "somebody was answered"
    assert page.ask("/").status == 200
    assert psutil.Process(page.process.pid).memory_info().rss - before < 300 << 20


def test_a_client_that_never_reads_and_one_that_never_asks_are_cut_off(
    page: Page,
) -> None:
    key = page.keys()["good"]
    question = asked_for(page, f"/study/{key}/report")
    with socket.socket() as deaf, socket.socket() as mute:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        for each in (deaf, mute):
            each.settimeout(60)
            each.connect(("127.0.0.1", page.port))
        deaf.sendall(question.encode())
        began = time.monotonic()
        assert mute.recv(1) == b""
        assert time.monotonic() - began < 40
        deadline = time.monotonic() + 60
        while any(
            each.raddr[1:] == (deaf.getsockname()[1],)
            for each in psutil.Process(page.process.pid).net_connections("inet")
        ):
            assert time.monotonic() < deadline, "the client that never reads still has its connection"
            time.sleep(0.5)
    assert page.ask("/").status == 200


def test_a_missing_package_is_one_sentence_with_the_command(tmp_path: Path) -> None:
    hide = "import sys; sys.modules['starlette'] = None; sys.argv = ['lsmtune', 'watch', '.']"
    answer = subprocess.run(
        [sys.executable, "-c", f"{hide}; from lsmtune.cli import main; main()"],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert answer.returncode == 2
    assert answer.stderr == (
        "lsmtune: lsmtune watch needs starlette, which is not installed: pip install 'lsmtune[watch]'\n"
    )
