"""The manual page and the completions that the package installs; that they are current, `test_docs_generated` says."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import typer

from lsmtune.cli import app

ROOT = Path(__file__).parent.parent
SHARE = ROOT / "docs" / "share"
PAGE = SHARE / "man" / "man1" / "lsmtune.1"
COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def test_the_package_installs_them() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["shared-data"] == {"docs/share": "share"}
    found = {str(path.relative_to(SHARE)) for path in SHARE.rglob("*") if path.is_file()}
    assert found == {
        "man/man1/lsmtune.1",
        "bash-completion/completions/lsmtune",
        "zsh/site-functions/_lsmtune",
        "fish/vendor_completions.d/lsmtune.fish",
    }


def test_the_manual_page_has_the_sections_and_every_command_with_its_options() -> None:
    text = PAGE.read_text()
    sections = re.findall(r"^\.SH (.*)$", text, re.MULTILINE)
    assert sections == ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS", "SEE ALSO"]
    parts = dict(part.split("\n", 1) for part in text.partition(".SH EXIT")[0].split("\n.SS ")[1:])
    plain = {name.replace("\\-", "-"): part.replace("\\-", "-") for name, part in parts.items()}
    for name, command in COMMANDS.items():
        if getattr(command, "commands", None):
            continue
        options = [option for parameter in command.params for option in parameter.opts if option.startswith("-")]
        assert all(f"\\fB{option}\\fR" in plain[f"lsmtune {name}"] for option in options), name
    known = (".TH", ".SH", ".SS", ".PP", ".TP", ".B ", ".I ")
    assert all(line.startswith(known) for line in text.splitlines() if line.startswith((".", "'")))


def test_groff_sets_the_manual_page_without_a_warning() -> None:
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tascii", "-P-c", str(PAGE)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "lsmtune - tune RocksDB and LevelDB" in re.sub(".\b", "", done.stdout)


def test_bash_completes_a_command(tmp_path: Path) -> None:
    program = tmp_path / "lsmtune"
    program.write_text(f"#!{sys.executable}\nfrom lsmtune.cli import main\nmain()\n")
    program.chmod(0o755)
    script = (
        f"source {SHARE}/bash-completion/completions/lsmtune\n"
        'COMP_WORDS=(lsmtune sw); COMP_CWORD=1; _lsmtune_completion lsmtune; echo "${COMPREPLY[@]}"\n'
    )
    path = f"{tmp_path}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.split() == ["sweep"]
