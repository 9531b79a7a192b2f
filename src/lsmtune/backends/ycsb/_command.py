"""A workload and a configuration become a command of lsmtune-ycsb, with the files that it reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lsmtune.backends._scaled import ScaledWorkload
from lsmtune.backends.ycsb._options import OptionWriter
from lsmtune.backends.ycsb._phases import LOADING, MIXING, SETTLING, Phase, PhaseKind, phases_of
from lsmtune.errors import EngineError
from lsmtune.model import Configuration, Run, Settle

_PARTIAL_LOAD = ("insertstart", "insertcount")
_SETTLE_LIMIT = ("lsmtune.settle_limit_s", "86400")  # a day: a run's own cap ends it, as with db_bench


@dataclass(frozen=True)
class Command:
    """A command, and the files that have to be there when it starts: text by path."""

    argv: tuple[str, ...]
    files: Mapping[Path, str] = field(default_factory=dict)

    def written(self) -> tuple[str, ...]:
        """Write the files and return the command."""
        for path, text in self.files.items():
            path.write_text(text, encoding="utf-8")
        return self.argv


class CommandBuilder(ScaledWorkload):
    """Builds commands of one driver for one workload at one scale; operations are of each phase over all threads."""

    @property
    def load_plan(self) -> tuple[Phase, ...]:
        """The phases that build shared data."""
        return LOADING, SETTLING

    @property
    def settle_plan(self) -> tuple[Phase, ...]:
        """The phases that let shared data take the shape that a configuration asks for."""
        return (SETTLING,)

    @property
    def plan(self) -> tuple[Phase, ...]:
        """The phases of the measured process."""
        phases = phases_of(self.workload)
        waits = self.workload.settle is Settle.WAIT and any(phase.may_write for phase in phases)
        return (*phases, SETTLING) if waits and phases[-1] != SETTLING else phases

    @property
    def loads_all(self) -> bool:
        """Whether a load inserts every record, so that their number is known."""
        return not any(name in _PARTIAL_LOAD for name, _ in self.workload.flags)

    def expected(self, phase: Phase) -> int | None:
        """Return the operations that a phase is expected to do; None where time ends it, or properties do."""
        if phase.kind is PhaseKind.SETTLE:
            return 0
        if phase.kind is PhaseKind.LOAD:
            return self.keys if self.loads_all else None
        if phase.kind is PhaseKind.MAX_RATE:
            return None
        return self.operations if self.workload.duration_s is None else None

    def measuring(self, run: Run, database: Path) -> Command:
        """Return the command of the measured process."""
        return self._command(self.plan, run.configuration, self._measured(run.seed), database)

    def settling(self, run: Run, database: Path) -> Command:
        """Return the command that lets loaded data take the shape that the configuration asks for."""
        return self._command(self.settle_plan, run.configuration, self._measured(run.seed), database)

    def loading(self, configuration: Configuration, seed: int, database: Path) -> Command:
        """Return the command that builds the data; a load is settled, never timed, and done by one thread.

        With several threads the order of the records would differ from load to load, and the tree with it.
        """
        return self._command(self.load_plan, configuration, self._data(seed, threads=1), database)

    def _command(
        self, plan: Sequence[Phase], configuration: Configuration, properties: Mapping[str, str], database: Path
    ) -> Command:
        folder = database.parent
        files: dict[Path, str] = {}
        argv = [str(self.build.path), "--engine", self.build.engine, "--db", str(database)]
        argv += ["--phases", ",".join(_phase_words(plan, folder, files))]
        if self.workload.flags:
            # A file, as a phase's own file wins over it; over what is given with -p it would not.
            path = folder / "lsmtune.workload"
            files[path] = _property_text(dict(self.workload.flags))
            argv += ["-P", str(path)]
        argv += [word for name, value in properties.items() for word in ("-p", f"{name}={value}")]
        writer = OptionWriter(self.build, self.catalogue, self.option_scale)
        text = writer.options_text(configuration)
        if text is not None:
            path = folder / "lsmtune.options"
            files[path] = text
            argv += ["--options-file", str(path)]
        return Command((*argv, *writer.arguments(configuration)), files)

    def _measured(self, seed: int) -> dict[str, str]:
        properties = self._data(seed, self.workload.threads)
        properties["operationcount"] = str(self.operations)
        if self.workload.duration_s is not None:
            properties["lsmtune.duration_s"] = str(self.workload.duration_s)
        if self.workload.reopen:
            properties["lsmtune.reopen"] = "true"
        return properties

    def _data(self, seed: int, threads: int) -> dict[str, str]:
        workload = self.workload
        properties = {
            "recordcount": str(self.keys),
            "threadcount": str(threads),
            "lsmtune.seed": str(seed),
            "lsmtune.interval_s": "1",
            "lsmtune.statistics": "tickers" if workload.statistics else "none",
        }
        if workload.compression_ratio < 1:
            properties["lsmtune.value_compressibility"] = str(workload.compression_ratio)
        if workload.disable_wal:
            properties["lsmtune.disable_wal"] = "true"
        name, limit = _SETTLE_LIMIT
        return properties if name in dict(workload.flags) else {**properties, name: limit}


def _phase_words(plan: Sequence[Phase], folder: Path, files: dict[Path, str]) -> list[str]:
    """Return the phases as the driver reads them; the property files of mixes are put into `files`."""
    words = []
    for phase in plan:
        if phase.kind not in MIXING:
            words.append(str(phase.kind))
            continue
        path = folder / f"{phase.name}.properties"
        if "," in str(path):
            raise EngineError(f"{folder} has a comma, which separates phases for lsmtune-ycsb; choose another folder")
        files[path] = _property_text(phase.properties)
        words.append(f"{phase.kind}:{phase.name}@{path}")
    return words


def _property_text(properties: Mapping[str, str]) -> str:
    return "".join(f"{name}={value}\n" for name, value in properties.items())
