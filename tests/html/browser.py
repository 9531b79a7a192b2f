"""A headless Chromium, driven by chromedriver over its HTTP protocol, WebDriver (W3C 2018)."""

import base64
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ports import free_port

_ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1200,900")
_WAITS_S, _ANSWERS_S = 60.0, 120.0


class Browser:
    """A browser with one page."""

    def __init__(self, port: int) -> None:
        self._base = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + _WAITS_S
        while not self._is_ready():
            assert time.monotonic() < deadline, "chromedriver does not answer"
            time.sleep(0.05)
        options = {"args": list(_ARGUMENTS)}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        session = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._base += f"/session/{session['sessionId']}"

    def open(self, page: Path) -> None:
        """Load a file and forget what was logged before."""
        self.visit(page.resolve().as_uri())

    def visit(self, address: str) -> None:
        """Load an address and forget what was logged before."""
        self.logged("browser")
        self.logged("performance")
        self._call("POST", "/url", {"url": address})

    def picture(self) -> bytes:
        """Return what is seen, a PNG."""
        return base64.b64decode(self._call("GET", "/screenshot"))

    def run(self, script: str, *arguments: Any) -> Any:
        """Run the body of a function in the page and return what it returns."""
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def until(self, script: str, *arguments: Any, within_s: float = _WAITS_S) -> Any:
        """Run a script until it returns something true."""
        deadline = time.monotonic() + within_s
        while not (found := self.run(script, *arguments)):
            assert time.monotonic() < deadline, f"never true: {script}"
            time.sleep(0.05)
        return found

    def press(self, keys: str) -> None:
        """Press keys, one after the other."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def drag(self, selector: str, start: float, end: float) -> None:
        """Drag over an element from one share of its height to another, 0 at its top."""
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        box = self.run("return document.querySelector(arguments[0]).getBoundingClientRect()", selector)
        x = round(box["x"] + box["width"] / 2)
        y = [round(box["y"] + share * box["height"]) for share in (start, end)]
        actions = [
            {"type": "pointerMove", "x": x, "y": y[0]},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "x": x, "y": y[1], "duration": 50},
            {"type": "pointerUp", "button": 0},
        ]
        self._call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]})

    def logged(self, kind: str) -> list[dict[str, Any]]:
        """Return what was logged since the last time: ``"browser"`` (the console) or ``"performance"``."""
        entries: list[dict[str, Any]] = self._call("POST", "/se/log", {"type": kind})
        return entries

    def requests(self) -> list[str]:
        """Return the addresses that the page asked for since it was opened."""
        events = [json.loads(entry["message"])["message"] for entry in self.logged("performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def devtools(self, command: str, **parameters: Any) -> Any:
        """Call the DevTools protocol."""
        return self._call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def printed(self) -> bytes:
        """Return the page as printed, a PDF."""
        return base64.b64decode(self._call("POST", "/print", {}))

    def close(self) -> None:
        """End the session."""
        self._call("DELETE", "")

    def _is_ready(self) -> bool:
        try:
            return bool(self._call("GET", "/status")["ready"])
        except (urllib.error.URLError, ConnectionError):
            return False

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self._base}{path}", data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=_ANSWERS_S) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            with error:
                told = json.load(error)["value"]
            raise AssertionError(f"{told['error']}: {told['message']}") from None


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a browser, and end it with its driver."""
    program = shutil.which("chromedriver")
    assert program is not None, "install chromium and chromium-driver (make test does)"
    port = free_port()
    with subprocess.Popen([program, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as driver:
        try:
            browser = Browser(port)
            try:
                yield browser
            finally:
                browser.close()
        finally:
            driver.terminate()
