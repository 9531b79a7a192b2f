"""Runs of cabinet-bench: a workload and a configuration become a command, and what it prints a measurement."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from lsmtune.backends import (
    Bench,
    Glance,
    Process,
    ProcessRecord,
    ScaledWorkload,
    Seen,
    data_name,
    loaded_configuration,
    process_indicators,
    worded,
)
from lsmtune.errors import RunError
from lsmtune.model import Configuration, Measurement, Run, Settle, Value
from lsmtune.space import Kind, Option, scale_values, unscaled_value

_RESULT = re.compile(r"^result (\w+) (\d+) (\S+)$", re.MULTILINE)
_END = re.compile(r"^settled (\S+)\nwritten (\d+) user (\d+)$", re.MULTILINE)


class CabinetBench(Bench):
    """Runs cabinet-bench for one workload at one scale."""

    def __init__(self, asked: ScaledWorkload) -> None:
        """`asked` has the build, its catalogue, the workload and the scale."""
        self.asked = asked

    def data_key(self, run: Run) -> str | None:
        """Name the data by all that it depends on."""
        asked = self._asked(run)
        if not asked.workload.load:
            return None
        command = self._command(asked, asked.workload.load, self._made(run), run.load_seed, Path("db"))
        return data_name(asked.build.fingerprint, command[1:])

    def load_processes(self, run: Run, database: Path) -> tuple[Process, ...]:
        """Return the one process that builds the data."""
        asked = self._asked(run)
        argv = self._command(asked, asked.workload.load, self._made(run), run.load_seed, database)
        return (Process("load", argv, asked.keys),)

    def processes(self, run: Run, database: Path) -> tuple[Process, ...]:
        """Return the measured process."""
        asked = self._asked(run)
        argv = self._command(asked, asked.workload.benchmarks, run.configuration, run.seed, database)
        operations = asked.operations if len(asked.workload.benchmarks) == 1 else None
        return (Process("measure", argv, operations, last_result=asked.workload.benchmarks[-1]),)

    def progress(self, process: Process, glance: Glance) -> Seen:
        """Read the operations from stderr, and the last result from stdout."""
        done = re.findall(r"^done (\d+)$", glance.stderr, re.MULTILINE)
        finished = f"\nresult {process.last_result} " in glance.stdout
        return Seen(int(done[-1]) if done else None, finished, "")

    def parse_results(self, run: Run, records: Sequence[ProcessRecord]) -> Measurement:
        """Turn what was printed into indicators; each is declared in `lsmtune.indicators`."""
        asked, last = self._asked(run), records[-1]
        results = {phase: (int(done), float(took)) for phase, done, took in _RESULT.findall(last.stdout)}
        end = _END.search(last.stdout)
        if last.stopped is None and (end is None or asked.workload.measure not in results):
            raise RunError(f"cabinet-bench ended well but printed no result of {asked.workload.measure}")
        indicators: dict[str, float | None] = {
            "space_bytes": last.space_bytes,
            "space_peak_bytes": last.space_peak_bytes,
            **process_indicators(records),
        }
        for phase, (done, took_s) in results.items():
            name = "throughput_ops_s" if phase == asked.workload.measure else f"throughput_ops_s@{phase}"
            indicators[name] = done / took_s
        if end is not None:
            settle_s, written, user = float(end[1]), int(end[2]), int(end[3])
            operations = sum(done for done, _ in results.values())
            total_s = settle_s + sum(took_s for _, took_s in results.values())
            indicators |= {
                "waf": written / user if user else None,
                "settle_time_s": settle_s,
                "total_time_s": total_s,
                "throughput_settled_ops_s": operations / total_s,
            }
        return Measurement(indicators, self._effective(asked, last.stdout))

    def failure(self, record: ProcessRecord) -> str:
        """Return the program's own words, where it gave some."""
        lines = record.stderr.splitlines()
        own = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
        return worded("cabinet-bench", record.returncode, lines, own[0] if own else None)

    def _asked(self, run: Run) -> ScaledWorkload:
        """Return what is asked in a run, whose workload and scale may differ from the study's."""
        workload = self.asked.workload.under(run.scenario)
        return replace(self.asked, workload=workload, scale=self.asked.scale * Fraction(run.rung))

    def _made(self, run: Run) -> Configuration:
        """Return what the loaded data depends on."""
        return loaded_configuration(run.configuration, self.asked.catalogue, settles=False)

    def _command(
        self, asked: ScaledWorkload, phases: Sequence[str], configuration: Configuration, seed: int, database: Path
    ) -> tuple[str, ...]:
        known = asked.catalogue.options
        values, _ = scale_values(known, configuration.values, asked.scale)
        return (
            str(asked.build.path),
            f"--db={database}",
            f"--steps={','.join(phases)}",
            f"--num={asked.operations}",
            f"--value_size={asked.workload.value_size_bytes}",
            f"--seed={seed}",
            *(["--settle"] if asked.workload.settle is Settle.WAIT else []),
            *(f"--{known[name].flag}={_spelled(value)}" for name, value in values.items()),
        )

    def _effective(self, asked: ScaledWorkload, stdout: str) -> dict[str, Value]:
        """Return the options as the program says that it has them, at full size."""
        line = next((line for line in stdout.splitlines() if line.startswith("options ")), "options {}")
        printed = json.loads(line.removeprefix("options "))
        known = asked.catalogue.options
        return {
            name: unscaled_value(known[name], _read(known[name], value), asked.scale)
            for name, value in printed.items()
            if name in known
        }


def _spelled(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(option: Option, printed: Value) -> Value:
    return printed == "true" if option.kind is Kind.BOOL else printed
