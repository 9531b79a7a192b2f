"""The journal of a host: finished runs on its own disk, until the study has them."""

import json
import os
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lsmtune.model import Measurement, Outcome, Overridden, Status

VERSION = 1
"""Of a file of the journal. 1: the first."""

_ATTEMPT = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,99}")


class Journal:
    """A folder with one file for each finished run, whole or absent whatever happens to the host.

    Attributes:
        folder: that it lies in.
    """

    def __init__(self, folder: Path) -> None:
        """Take `folder` into use; what an earlier process kept there is there again.

        Raises:
            OSError: the folder cannot be made.
        """
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for unfinished in folder.glob("*.new"):
            unfinished.unlink()

    def attempts(self, prefix: str = "") -> list[str]:
        """Return the names of the runs that are kept, sorted; those that begin with `prefix`."""
        return sorted(path.stem for path in self.folder.glob("*.json") if path.stem.startswith(prefix))

    def keep(self, attempt: str, outcome: Outcome) -> None:
        """Write a finished run so that it survives a loss of power; the folder is made again where it was removed.

        Raises:
            OSError: it cannot be written; nothing of it is left.
        """
        path = self._path(attempt)
        temporary = path.with_suffix(".new")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with temporary.open("w", encoding="ascii") as file:
                file.write(outcome_to_json(outcome))
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
            descriptor = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise

    def read(self, attempt: str) -> Outcome | None:
        """Return a finished run; None where it is not kept, or its file is damaged."""
        try:
            return outcome_from_json(self._path(attempt).read_text(encoding="ascii"))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def forget(self, attempt: str) -> None:
        """Drop a finished run; doing so twice is harmless."""
        self._path(attempt).unlink(missing_ok=True)

    def _path(self, attempt: str) -> Path:
        if _ATTEMPT.fullmatch(attempt) is None:  # it comes over the network and becomes a file name
            raise ValueError(f'"{attempt}" cannot name a run in a journal')
        return self.folder / f"{attempt}.json"


def outcome_to_json(outcome: Outcome) -> str:
    """Return an outcome as one JSON object in ASCII."""
    fields = asdict(outcome)
    fields["artefacts"] = dict(outcome.artefacts)
    return json.dumps({"version": VERSION, "outcome": fields})


def outcome_from_json(text: str) -> Outcome:
    """Return the outcome that `outcome_to_json` wrote.

    Raises:
        ValueError, KeyError, TypeError: it is damaged, or of a newer lsmtune.
    """
    document: dict[str, Any] = json.loads(text)
    if document["version"] != VERSION:
        raise ValueError(f"version {document['version']} of a journal is not known")
    fields: dict[str, Any] = document["outcome"]
    measured = fields["measurement"]
    if measured is not None:
        measured["overridden"] = tuple(Overridden(**each) for each in measured["overridden"])
        measured["warnings"] = tuple(measured["warnings"])
        fields["measurement"] = Measurement(**measured)
    fields["status"] = Status(fields["status"])
    return Outcome(**fields)
