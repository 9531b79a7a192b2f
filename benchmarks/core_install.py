"""How much disk an installation of lsmtune takes, against the goal for its core, in environments made for it.

    python benchmarks/core_install.py [extra ...]

Goal: 250 MiB of disk blocks for the core, as `du -m` counts. Builds a wheel, installs it with pip into a new
environment, without extras and with each that is named, and prints the MB (10^6 bytes) of all files of its
site-packages without pip itself, how many of them are bytecode, and the MiB of blocks, which depend on the file system.
Exit code 1 where the goal is missed. pip downloads what it has not cached.
"""

import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from pathlib import Path

GOAL_MIB = 250
_ROOT = Path(__file__).parents[1]
_NOT_INSTALLED_BY_US = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")


@dataclass
class Footprint:
    """The files of an environment in bytes: all of them, those of bytecode, and the blocks that they take."""

    files: int = 0
    bytecode: int = 0
    blocks: int = 0

    def add(self, path: Path) -> None:
        """Count a file, or the blocks of a folder."""
        status = path.lstat()
        self.blocks += status.st_blocks * 512
        if not path.is_dir():
            self.files += status.st_size
            self.bytecode += status.st_size if path.suffix == ".pyc" else 0


def footprint(site_packages: Path) -> Footprint:
    """Measure what lsmtune and its libraries take."""
    found = Footprint()
    for top in site_packages.iterdir():
        if not top.name.startswith(_NOT_INSTALLED_BY_US):
            for path in (top, *top.rglob("*")):
                found.add(path)
    return found


def installed(wheel: Path, extra: str, folder: Path) -> Footprint:
    """Install the wheel into a new environment and measure that."""
    venv.create(folder, with_pip=True)
    asked = f"{wheel}[{extra}]" if extra else str(wheel)
    subprocess.run([folder / "bin" / "pip", "install", "-q", "--disable-pip-version-check", asked], check=True)
    (site_packages,) = (folder / "lib").glob("python*/site-packages")
    return footprint(site_packages)


def main(extras: list[str]) -> int:
    """Measure the core and the named extras, and print."""
    core = 0.0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
        subprocess.run(command, cwd=_ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        (wheel,) = folder.glob("*.whl")
        sys.stdout.write(f"the wheel          {wheel.stat().st_size / 1e6:6.1f} MB\n")
        for extra in ("", *extras):
            size = installed(wheel, extra, folder / f"environment-{extra}")
            core = core or size.blocks / 2**20
            name = f"lsmtune[{extra}]" if extra else "lsmtune"
            sys.stdout.write(
                f"{name:<18} {size.files / 1e6:6.1f} MB, {size.bytecode / 1e6:.1f} of them bytecode; "
                f"{size.blocks / 2**20:.0f} MiB of blocks\n"
            )
    sys.stdout.write(f"of the goal        {core / GOAL_MIB:6.2f} of {GOAL_MIB} MiB\n")
    return 0 if core <= GOAL_MIB else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
