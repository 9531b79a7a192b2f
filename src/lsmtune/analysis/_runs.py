"""The runs of a study as a table that explains itself: what was set, what came of it."""

import io
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lsmtune.analysis._table_facts import TableFacts
from lsmtune.codec import MisreadError
from lsmtune.errors import StatisticsError, UsageError
from lsmtune.extras import need
from lsmtune.indicators import INDICATORS, indicator
from lsmtune.model import Purpose, Status
from lsmtune.space import Factor
from lsmtune.store import write_file

if TYPE_CHECKING:  # half a second of import, which tunings do not need
    import pandas as pd

FORMAT_VERSION = 3
"""Version of the table on disk.

History: 1 first version; 2 has the column ``counts``; 3 the column ``host``, and says "disturbed" for "contaminated".
"""

RUN_COLUMNS = (
    *("run", "purpose", "arm", "block", "status", "order", "started_at", "elapsed_s", "bound_s", "seed", "reason"),
    *("effective", "counts", "host"),
)
"""Columns that say which run it was; beside them stand those of the factors and ``indicator.<name>``."""

_KEY = b"lsmtune"
_INDICATOR = "indicator."


@dataclass(frozen=True)
class Runs:
    """A table of runs.

    Attributes:
        factors: what varied, in the order of the space.
        bundles: names of factors that a constraint ties together, each bundle with at least two.
        facts: what to know of the study.
        frame: a row for each run in the order of running, with the columns `RUN_COLUMNS`, `Factor.column` of each
            factor (values asked for, at full size) and ``indicator.<name>`` (base units, nan where not known).
    """

    factors: tuple[Factor, ...]
    bundles: tuple[tuple[str, ...], ...]
    facts: TableFacts
    frame: "pd.DataFrame"

    def __len__(self) -> int:
        return len(self.frame)

    @cached_property
    def by_name(self) -> Mapping[str, Factor]:
        """The factors by name."""
        return {factor.name: factor for factor in self.factors}

    @cached_property
    def indicators(self) -> tuple[str, ...]:
        """Names of the indicators that at least one run has."""
        names = (name for name in self.frame.columns if name.startswith(_INDICATOR))
        return tuple(name.removeprefix(_INDICATOR) for name in names if self.frame[name].notna().any())

    def indicator(self, name: str) -> npt.NDArray[np.float64]:
        """Return an indicator of all runs, shape (len(self),), nan where it is not known.

        Raises:
            UsageError: no run has it.
        """
        if name not in self.indicators:
            known = ", ".join(self.indicators)
            raise UsageError(f'no run of this study has the indicator "{name}"; take one of {known}')
        return self.frame[_INDICATOR + name].to_numpy(dtype=np.float64)

    def values(self, name: str) -> npt.NDArray[Any]:
        """Return the values of a factor in all runs, shape (len(self),)."""
        return self.frame[self.by_name[name].column].to_numpy()

    def where(self, mask: npt.NDArray[np.bool_]) -> "Runs":
        """Return the runs for which `mask`, of shape (len(self),), is true."""
        return Runs(self.factors, self.bundles, self.facts, self.frame[mask].reset_index(drop=True))

    def of(self, *purposes: Purpose) -> "Runs":
        """Return the runs of some purposes."""
        return self.where(self.frame["purpose"].isin([str(purpose) for purpose in purposes]).to_numpy())

    def ended(self, *statuses: Status) -> npt.NDArray[np.bool_]:
        """Return where the runs ended in one of the ways, shape (len(self),)."""
        return self.frame["status"].isin([str(status) for status in statuses]).to_numpy()

    def counting(self, name: str | None = None) -> npt.NDArray[np.bool_]:
        """Return where an indicator counts, or all of them, shape (len(self),).

        That is where runs went well, and where disturbed ones are used as they are or, of an indicator that others on
        the host cannot change, at all.
        """
        enough = {"all"}
        if name is not None and name.partition("@")[0] in INDICATORS and indicator(name).steady:
            enough.add("steady")
        used: npt.NDArray[np.bool_] = self.frame["counts"].isin(enough).to_numpy()
        return self.ended(Status.OK) | (self.ended(Status.DISTURBED) & used)

    def write(self, path: str | Path) -> None:
        """Write the table, ``.parquet`` with all that explains it, ``.csv`` the bare rows.

        Raises:
            UsageError: the name ends otherwise, or the file cannot be written.
            LsmtuneError: the disk is full; an earlier table stays as it was.
        """
        path = Path(path)
        if path.suffix == ".csv":
            write_file(path, self.frame.to_csv(index=False).encode())
        elif path.suffix == ".parquet":
            write_file(path, self._parquet())
        else:
            raise UsageError(f"{path}: a table is written as .parquet or .csv; give a name that ends so")

    @classmethod
    def read(cls, path: Path) -> "Runs":
        """Read a ``.parquet`` that `write` made.

        Raises:
            UsageError: it cannot be read, or lsmtune did not write it, or a newer one did.
        """
        need("a table of runs", "pandas", "pyarrow")
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            table = pq.read_table(path)
        except (OSError, pa.ArrowException) as error:
            raise UsageError(f"{path} cannot be read as a table of runs: {str(error).splitlines()[0]}") from None
        text = (table.schema.metadata or {}).get(_KEY)
        if text is None:
            raise UsageError(f"{path} was not written by lsmtune; give the .parquet of lsmtune sample")
        explained = json.loads(text)
        frame = table.to_pandas()
        if explained["version"] < 2:
            frame["counts"] = np.where(frame["status"] == str(Status.OK), "all", "nothing")
        if explained["version"] < 3:
            frame["status"] = frame["status"].replace("contaminated", str(Status.DISTURBED))
            frame["host"] = ""
        if explained["version"] > FORMAT_VERSION:
            raise UsageError(f"{path} has version {explained['version']} of the table; upgrade lsmtune to read it")
        try:
            factors = tuple(Factor.from_json(fields) for fields in explained["factors"])
        except MisreadError as error:
            raise UsageError(f"{path} cannot be read as a table of runs: of a factor, {error}") from None
        try:
            facts = TableFacts.from_words(explained["facts"])
        except MisreadError as error:
            raise UsageError(f"{path} cannot be read as a table of runs: of its facts, {error}") from None
        return cls(factors, tuple(map(tuple, explained["bundles"])), facts, frame)

    def _parquet(self) -> bytes:
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pa.Table.from_pandas(self.frame, preserve_index=False)
        explained = {
            "version": FORMAT_VERSION,
            "factors": [asdict(factor) for factor in self.factors],
            "bundles": self.bundles,
            "facts": self.facts.words(),
        }
        metadata = {**(table.schema.metadata or {}), _KEY: json.dumps(explained).encode()}
        written = io.BytesIO()
        pq.write_table(table.replace_schema_metadata(metadata), written, compression="zstd")
        return written.getvalue()


def require(runs: Runs, least: int, doing: str) -> None:
    """Refuse too few runs.

    Raises:
        StatisticsError: there are fewer than `least`.
    """
    if len(runs) < least:
        raise StatisticsError(f"{doing} needs at least {least} finished runs, but there are {len(runs)}; sample more")
