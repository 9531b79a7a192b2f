"""The stand-in for db_bench as other builds of the engine: another version, speed, flags and defaults."""

import sys
from collections.abc import Mapping
from pathlib import Path

from lsmtune.testing import fake_db_bench


def install_build(
    folder: Path,
    version: str,
    *,
    speed: float = 1.0,
    flags: Mapping[str, str | None] | None = None,
    assertions: bool = False,
) -> Path:
    """Write an executable ``db_bench`` into `folder`, made where there is none; return its path.

    Args:
        folder: where to put it.
        version: the version that it prints.
        speed: factor on the speed of its writes.
        flags: other defaults by flag; None for a flag that it does not know, which has to be one that the stand-in does
            nothing with.
        assertions: whether it warns that it checks assertions.
    """
    here = Path(fake_db_bench.__file__).resolve()
    lines = [
        f"#!{sys.executable} -SE",
        "import re, sys",
        f"sys.path[0] = {str(here.parent)!r}",
        f"import {here.stem} as fake",
        f"fake.VERSION = {version!r}",
        f"fake._EFFORT = {{name: effort / {speed!r} for name, effort in fake._EFFORT.items()}}",
        f"for flag, value in {dict(flags or {})!r}.items():",
        r"    new = '' if value is None else rf' {flag}\g<1>={value}'",
        r"    fake._OPTIONS = re.sub(rf' {flag}((?::\w+)?)=\S+', new, fake._OPTIONS)",
        *(["print('WARNING: Assertions are enabled; slow') if '--help' not in sys.argv else None"] * assertions),
        "sys.exit(fake.main(sys.argv[1:]))",
    ]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder.absolute() / "db_bench"
    path.write_text("\n".join(lines) + "\n")
    path.chmod(0o755)
    return path
