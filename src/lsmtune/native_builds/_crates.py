"""Sources that travel in crates: fetched by cargo from the registry that its user has set up, compared with a pin.

Nothing of a crate is run: what it holds beside the engine's source stays packed.
"""

import hashlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from lsmtune.errors import BuildError
from lsmtune.native_builds._place import Place
from lsmtune.native_builds._steps import Watcher, run


@dataclass(frozen=True)
class Crate:
    """A crate that carries a source.

    Attributes:
        name: of the crate.
        version: of the crate, without what is built.
        carries: what its version says of the source, behind a plus sign; may be empty.
        folder: of the source in the crate.
        sha256: of the crate.
    """

    name: str
    version: str
    carries: str
    folder: str
    sha256: str

    @property
    def stem(self) -> str:
        """Its file name without the ending, which is the folder that it unpacks into."""
        return f"{self.name}-{self.version}{'+' if self.carries else ''}{self.carries}"

    def fetched(self) -> Path | None:
        """Return where cargo has put it; None where it has not."""
        home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
        return next(iter(sorted(home.glob(f"registry/cache/*/{self.stem}.crate"))), None)


def must_be_fetched(crate: Crate, place: Place) -> bool:
    """Return whether cargo is needed: neither the source nor the crate is here yet."""
    return not (place.work / "source").is_dir() and crate.fetched() is None


def source_of(crate: Crate, place: Place, watcher: Watcher) -> Path:
    """Fetch, check and unpack a source; return its folder. What was done before is not done again.

    Raises:
        BuildError: it cannot be fetched or unpacked, or is not what was pinned.
    """
    source = place.work / "source"
    if source.is_dir():
        return source
    file = crate.fetched() or _fetch(crate, place, watcher)
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if found != crate.sha256:
        raise BuildError(
            f"{file} is not the crate that is pinned: its SHA-256 is {found}, not {crate.sha256}; remove it and give "
            "the same command again"
        )
    unpacked = place.work / "unpacked"
    shutil.rmtree(unpacked, ignore_errors=True)
    unpacked.mkdir()
    member = f"{crate.stem}/{crate.folder}"
    if run(["tar", "--no-same-owner", "-xzf", str(file), "-C", str(unpacked), member], place, watcher):
        raise BuildError(f"{file} cannot be unpacked; is the disk full? log: {place.log}")
    (unpacked / member).rename(source)
    shutil.rmtree(unpacked)
    return source


def _fetch(crate: Crate, place: Place, watcher: Watcher) -> Path:
    """Let cargo fetch the crate, which it does only for a package that depends on it."""
    package = place.work / "fetch"
    (package / "src").mkdir(parents=True, exist_ok=True)
    (package / "src" / "lib.rs").write_text("")
    (package / "Cargo.toml").write_text(
        '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n'
        f'{crate.name} = {{ version = "={crate.version}", default-features = false }}\n'
    )
    # For this host alone, so that it fetches less. Whether cargo succeeds does not matter (an old one fails over the
    # syntax of packages that are not wanted), but whether the crate came.
    run(["cargo", "fetch", *_for_this_host()], place, watcher, package)
    file = crate.fetched()
    if file is None:
        last = place.log.read_text(errors="replace").strip().splitlines()[-1].strip()
        raise BuildError(
            f"cargo could not fetch {crate.name} {crate.version}; check the network and cargo's settings, then give "
            f"the same command again; its last words ({place.log}): {last}"
        )
    return file


def _for_this_host() -> list[str]:
    answer = subprocess.run(["cargo", "-vV"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    host = re.search(r"^host: (\S+)", answer.stdout, re.MULTILINE)
    return ["--target", host[1]] if host else []
