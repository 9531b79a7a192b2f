"""What an experiment of NNI was started with, kept in its study folder so that it can be named alone from then on."""

import json
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from lsmtune.backends import expanded
from lsmtune.errors import StudyError
from lsmtune.nni._translation import Asked
from lsmtune.store import write_file

_FILE = "nni.json"
_VERSION = 1
"""Format of the file. 1: config, budget, default, and what was asked beside the configuration."""


@dataclass(frozen=True)
class Started:
    """How an experiment of NNI was started.

    Attributes:
        config: the path of its configuration.
        asked: what was said beside it.
        budget: as the command line had it; None for the configuration's.
        default: the path of the user's own parameters; None where there was none.
    """

    config: Path
    asked: Asked
    budget: str | None = None
    default: Path | None = None

    def keep(self, folder: Path) -> None:
        """Write it into a study folder, over what an earlier start left."""
        program = None if self.asked.db_bench is None else expanded(self.asked.db_bench).absolute()
        said = asdict(replace(self.asked, db_bench=program))
        asked = {name: None if value is None else str(value) for name, value in said.items()}
        fields = {
            "version": _VERSION,
            "config": str(self.config.absolute()),
            "budget": self.budget,
            "default": None if self.default is None else str(self.default.absolute()),
            "asked": {**asked, "trial": self.asked.trial},
        }
        write_file(folder / _FILE, f"{json.dumps(fields, indent=2)}\n".encode())

    @classmethod
    def read(cls, folder: Path) -> "Started":
        """Read what a study folder keeps.

        Raises:
            StudyError: the folder is no study of an experiment of NNI, or what it keeps cannot be read.
        """
        try:
            fields = json.loads((folder / _FILE).read_text())
        except FileNotFoundError:
            raise StudyError(
                f"{folder} is no experiment of NNI; start one with lsmtune nni create --config FILE, or name one of "
                "lsmtune nni experiment list"
            ) from None
        except (OSError, ValueError) as error:
            raise StudyError(f"{folder / _FILE} cannot be read ({error}); start the experiment anew") from None
        if not isinstance(fields, dict) or fields.get("version") != _VERSION:
            raise StudyError(f"{folder / _FILE} is of another lsmtune; start the experiment with lsmtune nni create")
        return cls(Path(fields["config"]), _asked(fields["asked"]), fields["budget"], _path(fields["default"]))


def is_experiment(folder: Path) -> bool:
    """Whether a folder is the study of an experiment of NNI."""
    return (folder / _FILE).is_file()


def _asked(fields: dict[str, Any]) -> Asked:
    scale = fields["scale"]
    return Asked(
        None if scale is None else Fraction(scale),
        fields["benchmarks"],
        fields["num"],
        _path(fields["db_bench"]),
        fields["trial"],
    )


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)
