"""The pages of the documentation as tests see them: their commands, their prose, their links."""

import os
import re
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from posixpath import normpath

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_CONSOLE = re.compile(r"^```console((?: \w+)*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"^```toml\n# ([\w-]+\.toml)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FENCED = re.compile(r"^(```|~~~).*?^\1$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
_PROGRAMS = "lsmtune|lsmtune-ycsb|db_bench|make|pip|pipx|python3?|podman|docker|sudo|apt-get|git|cd|cp|rm|ssh|benchstat"
_COMMAND = re.compile(rf"^\s*(?:\$ )?((?:[A-Z_]+=\S+ )*(?:{_PROGRAMS})(?: .*)?)$", re.MULTILINE)
_TYPED = ("", "plain", "text", "sh", "bash")
_CUT = "..."
_REFUSED = 2

_LSMTUNE = f"""#!{sys.executable}
import sys

if sys.argv[1:2] and sys.argv[1] in ("compare", "nni", "reproduce", "sample", "sweep", "tune"):
    from lsmtune.executors import _held
    from lsmtune.store import _database

    _held._LOOK_S, _held._QUIET_S = 0.01, 0.02
    _database._SYNCHRONOUS = "OFF"
from lsmtune.cli import main

if __name__ == "__main__":
    sys.exit(main())
"""


@dataclass(frozen=True)
class Command:
    """A command of a page.

    Attributes:
        words: as they stand there; further lines of it, or of a here-document, are part of them.
        shown: the lines under it, without those that stand for others.
        measured: whether what it prints is another each time.
        refused: whether it ends in a message, and with the exit code of wrong use.
    """

    words: str
    shown: tuple[str, ...]
    measured: bool = False
    refused: bool = False

    @property
    def name(self) -> str:
        """Its words on one line, without a comment behind them."""
        return name_of(self.words)


def name_of(words: str) -> str:
    """A command on one line; a comment stands two spaces behind it."""
    return re.sub(r"\s{2,}# .*$", "", re.sub(r"\s*\\\n\s*", " ", words)).strip()


def pages(kind: str) -> list[Path]:
    """The pages of a kind, but for the one that lists them."""
    return sorted(path for path in (DOCS / kind).glob("*.md") if path.name != "README.md")


def written() -> list[Path]:
    """All pages that people write: README, CONTRIBUTING, docs; no decisions, which keep the words of their day."""
    kinds = (DOCS / kind for kind in ("tutorials", "how-to", "reference", "explanation", "contribute"))
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", DOCS / "README.md"]
    return found + sorted(path for kind in kinds for path in kind.glob("*.md"))


def commands(page: Path) -> list[Command]:
    """The commands in the console blocks of a page, in their order."""
    found = list[Command]()
    for information, block in _CONSOLE.findall(page.read_text("utf-8")):
        kinds = set(information.split())
        assert kinds <= {"measured", "refused"}, f"{page.name}: console{information}"
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            words, lines = _split(part.splitlines())
            shown = tuple(line for line in lines if line.strip() and line != _CUT)
            found.append(Command(words, shown, "measured" in kinds, "refused" in kinds))
    return found


def _split(lines: list[str]) -> tuple[str, list[str]]:
    """The words of a command and what is shown under it: further words follow a backslash, or stand behind "> "."""
    words = [lines.pop(0)]
    while lines and words[-1].endswith("\\"):
        words.append(lines.pop(0))
    further = [line for line in lines if line == ">" or line.startswith("> ")]
    return "\n".join([*words, *(line[2:] for line in further)]), [x.rstrip() for x in lines if x not in further]


def typed(page: Path) -> list[str]:
    """The name of every command that a page gives to type, in console blocks and in all others that may hold some."""
    found = [command.name for command in commands(page)]
    for language, block in blocks(page):
        text = re.sub(r"\s*\\\n\s*", " ", block) if language in _TYPED else ""
        found += [name_of(words) for words in _COMMAND.findall(text)]
    return found


def named(page: Path) -> list[str]:
    """The commands of lsmtune that the sentences and tables of a page name."""
    text = _FENCED.sub("", page.read_text("utf-8"))
    return [" ".join(words.split()) for words in re.findall(r"`(lsmtune\s[^`]+)`", text)]


def install_lsmtune(folder: Path) -> None:
    """Write lsmtune as these tests have it into a folder, for a stand-in that rests as soon as its output is held.

    What it writes need not survive a loss of power, as in other tests.
    """
    path = folder / "lsmtune"
    path.write_text(_LSMTUNE)
    path.chmod(0o755)


def run(command: Command, folder: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command in a shell, as a reader would."""
    return subprocess.run(
        ["bash", "-c", command.words],
        cwd=folder,
        env={**os.environ, "COLUMNS": "100", **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def write_files(page: Path, folder: Path) -> None:
    """Write the experiment files of a page: blocks of TOML that begin with a comment that names the file."""
    for name, text in _FILE.findall(page.read_text("utf-8")):
        (folder / name).write_text(text, "utf-8")


def check_commands(
    page: Path, folder: Path, environment: Mapping[str, str], skipped: Collection[str] = frozenset()
) -> None:
    """Run all commands of a page in their order; each ends as the page says, and prints what the page shows of it.

    Args:
        page: the page.
        folder: where they run.
        environment: what the shell knows besides the environment of the tests.
        skipped: names of commands that are not run.
    """
    write_files(page, folder)
    for command in commands(page):
        if command.name in skipped:
            continue
        done = run(command, folder, environment)
        expected = _REFUSED if command.refused else 0
        assert done.returncode == expected, f"{page.name}: {command.words}\n{done.stdout}\n{done.stderr}"
        if not command.measured:
            absent = missing(command.shown, done.stdout + done.stderr)
            assert not absent, f"{page.name}: {command.words}\nnot printed, or not in this order: {absent}"


def missing(shown: Collection[str], printed: str) -> list[str]:
    """The shown lines that are not among the printed ones in this order."""
    rest = iter([line.rstrip() for line in printed.splitlines()])
    return [line for line in shown if line not in rest]


def links(page: Path) -> Iterator[Path]:
    """The files to which a page links, by their paths from the root."""
    for link in _LINK.findall(page.read_text("utf-8")):
        yield ROOT / normpath(page.parent.relative_to(ROOT) / link)


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """The blocks of code of a page with their language; indented ones have none."""
    language, lines, before = None, list[str](), ""
    for line in [*page.read_text("utf-8").splitlines(), ""]:
        if language is None and line.startswith("```"):
            language, lines = line[3:].partition(" ")[0] or "plain", []
        elif language is None and line.startswith("    ") and not before.strip():
            language, lines = "", [line]
        elif language is not None and (line.startswith("```") or (language == "" and not line.startswith("    "))):
            yield language, "\n".join(lines) + "\n"
            language = None
        elif language is not None:
            lines.append(line)
        before = line


def prose(page: Path) -> str:
    """The text of a page without code, tables and headings; a list item is a paragraph of its own."""
    text = _FENCED.sub("", page.read_text("utf-8"))
    text = re.sub(r"^(?: {4}|\t).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^(?:\||#|<!--|!\[).*$", "", text, flags=re.MULTILINE)
    return re.sub(r"\]\([^)]*\)", "]", text)


def sentences(page: Path) -> list[int]:
    """The number of words of each sentence of a page."""
    text = re.sub(r"^\s*(?:[-*]|\d+\.)\s+", "\n\n", prose(page), flags=re.MULTILINE)
    text = re.sub(r"`[^`]*`", "code", text)
    found = (
        sentence.split()
        for paragraph in re.split(r"\n\s*\n", text)
        for sentence in re.split(r"(?<=[.!?])[\"*)]*\s+(?=[\[\"*(A-Z`])", " ".join(paragraph.split()))
    )
    return [len(words) for words in found if len(words) > 2]
