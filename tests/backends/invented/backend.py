"""What cabinet-bench offers for Cabinet."""

import hashlib
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import MappingProxyType

from invented.bench import CabinetBench
from lsmtune.backends import (
    Backend,
    Bench,
    BenchmarkKind,
    Needs,
    PhaseVocabulary,
    Program,
    ScaledWorkload,
    ask,
    described,
)
from lsmtune.errors import EngineError
from lsmtune.model import EngineBuild, Value, Workload
from lsmtune.space import Catalogue, Option, library_values, read_catalogue

FOLDER = Path(__file__).parent
PROGRAM = Program(
    "cabinet-bench",
    "as driver under [engine]",
    "LSMTUNE_CABINET",
    "put it into PATH, or name one as driver under [engine]",
    maker="",
)
PHASES = described({BenchmarkKind.FILL: "fill", BenchmarkKind.WRITE: "update", BenchmarkKind.READ: "read"}, None)
PASSED = {
    "db": "host.scratch",
    "steps": "workload.benchmarks",
    "num": "workload.num",
    "value_size": "workload.value_size",
    "seed": "search.seed",
    "settle": "workload.settle",
}
STARTING_TEXT = """\
# An experiment of lsmtune. Run it with: lsmtune tune THIS_FILE

[engine]
name = "cabinet"                    # {version} was found

[workload]
benchmarks = "fill"                 # also "update" and "read", which need load = "fill"
num = "20k"                         # keys at full size

[space]
preset = "write-heavy"              # also "all"

[budget]
time = "10m"
"""


class CabinetBackend(Backend):
    """Starts from the defaults that the program has."""

    title = "Cabinet"
    program = PROGRAM.name
    vocabulary = PhaseVocabulary(PHASES, PROGRAM.name, "fill", PASSED)
    starting_points = MappingProxyType({"cabinet": "Cabinet's default"})
    draws_by_seed = True
    has_starting_text = True

    def name(self, build: EngineBuild) -> str:
        """Return ``cabinet-bench``."""
        return self.program

    def find(self, engine: str, path: Path | None, origin: str) -> EngineBuild:
        """Ask the program for its version; see `Backend`."""
        program = PROGRAM.find(path, origin, None).path
        answer = ask(program, ["--version"])
        engine_name, _, version = answer.stdout.strip().partition(" ")
        if engine_name != engine:
            raise EngineError(f"{program} is not cabinet-bench: asked for its version it printed: {answer.complaint}")
        mark = hashlib.sha256(program.read_bytes()).hexdigest()[:16]
        return EngineBuild(engine, version, program, mark, False, (), (), "cabinet_bench")

    def unsupported(self, build: EngineBuild, known: Catalogue) -> tuple[Option, ...]:
        """Return nothing: all versions have all options."""
        return ()

    def defaults(self, build: EngineBuild, known: Catalogue) -> dict[str, Value]:
        """Return the catalogue's defaults."""
        return library_values(known, build.version_tuple)

    def baselines(self, build: EngineBuild, known: Catalogue) -> Mapping[str, Mapping[str, Value]]:
        """Return the one in which nothing is set."""
        return {"cabinet": {}}

    def bench(self, build: EngineBuild, known: Catalogue, workload: Workload, scale: Fraction) -> Bench:
        """Return the bench of cabinet-bench."""
        return CabinetBench(ScaledWorkload(build, known, workload, scale))

    def catalogue(self, engine: str) -> Catalogue:
        """Return the catalogue that lies in this folder."""
        return _catalogue()

    def starting_text(self, build: EngineBuild, cores: int, named: Path | None, needs: Needs) -> str:
        """Return a file that tunes a fill."""
        return STARTING_TEXT.format(version=build.version)

    def noise_workload(self) -> tuple[Workload, Fraction]:
        """Return a fill, of a second or less."""
        return Workload(("fill",), "fill", num=5_000, tool="cabinet_bench"), Fraction(1)


@cache
def _catalogue() -> Catalogue:
    return read_catalogue((FOLDER / "catalogue.toml").read_text(), (FOLDER / "presets.toml").read_text())
