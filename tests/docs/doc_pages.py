"""The pages of the documentation as tests see them: their commands, their prose, their links."""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from posixpath import normpath

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_CONSOLE = re.compile(r"^```console( measured)?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"^```toml\n# ([\w-]+\.toml)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FENCED = re.compile(r"^(```|~~~).*?^\1$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
_CUT = "..."


@dataclass(frozen=True)
class Command:
    """A command of a page.

    Attributes:
        words: as they stand there; further lines of a here-document are part of them.
        shown: the lines under it, without those that stand for others.
        measured: whether what it prints is another each time.
    """

    words: str
    shown: tuple[str, ...]
    measured: bool


def pages(kind: str) -> list[Path]:
    """The pages of a kind, but for the one that lists them."""
    return sorted(path for path in (DOCS / kind).glob("*.md") if path.name != "README.md")


def written() -> list[Path]:
    """All pages that people write: README, CONTRIBUTING, docs; no decisions, which keep the words of their day."""
    kinds = (DOCS / kind for kind in ("tutorials", "how-to", "reference", "explanation", "contribute"))
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", DOCS / "README.md"]
    return found + sorted(path for kind in kinds for path in kind.glob("*.md"))


def commands(page: Path) -> list[Command]:
    """The commands that a page gives to be run, in their order."""
    found = list[Command]()
    for measured, block in _CONSOLE.findall(page.read_text("utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            first, *lines = part.splitlines()
            further = [line for line in lines if line == ">" or line.startswith("> ")]
            words = "\n".join([first, *(line[2:] for line in further)])
            rest = [line.rstrip() for line in lines if line not in further]
            shown = tuple(line for line in rest if line.strip() and line != _CUT)
            found.append(Command(words, shown, bool(measured)))
    return found


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


def check_commands(page: Path, folder: Path, environment: Mapping[str, str]) -> None:
    """Run all commands of a page in their order; each ends well, and prints what the page shows of it."""
    write_files(page, folder)
    for command in commands(page):
        done = run(command, folder, environment)
        printed = [line.rstrip() for line in done.stdout.splitlines()]
        assert done.returncode == 0, f"{page.name}: {command.words}\n{done.stdout}\n{done.stderr}"
        if not command.measured:
            assert [line for line in command.shown if line not in printed] == [], f"{page.name}: {command.words}"


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
