"""The bench that runs a user's own trial command, with the parameters that it asks for."""

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsmtune.backends import Bench, Glance, Process, ProcessRecord, Seen, ending
from lsmtune.errors import RunError
from lsmtune.model import Measurement, Run
from lsmtune.nni._search_space import Parameter, nested_values
from lsmtune.space import Space

SHIM = Path(__file__).parent / "shim"
"""Folder that holds the package `nni` for trials."""

_METRICS = "LOG"  # the executor keeps the file of this name with the run, and shows its end while the run goes on
_MOST_SHOWN = 300


@dataclass(frozen=True)
class TrialBench(Bench):
    """Runs a command for each configuration, as NNI's local platform does.

    The folder ``db`` of a run stands for NNI's folder of a trial: the parameters are put there before the command
    starts, and the shim writes what the trial reports there.

    Attributes:
        command: of a trial, for bash.
        code_folder: where it runs.
        parameters: of the search space.
        space: made of them; says which have an effect, and where what is not set stands.
        result: name of the indicator that takes the final result.
        experiment_id: what `nni.get_experiment_id` returns.
    """

    command: str
    code_folder: Path
    parameters: tuple[Parameter, ...]
    space: Space
    result: str
    experiment_id: str

    def data_key(self, run: Run) -> str | None:  # noqa: ARG002 - a trial loads what it needs itself
        """Return None: nothing is shared between trials."""
        return None

    def load_processes(self, run: Run, database: Path) -> tuple[Process, ...]:  # noqa: ARG002 - as above
        """Return no process."""
        return ()

    def processes(self, run: Run, database: Path) -> tuple[Process, ...]:
        """Write down the parameters, and return the one process of the trial."""
        values = {**self.space.reference, **run.configuration.values}
        given = {
            "parameter_id": run.id - 1,
            "parameter_source": "algorithm",
            "parameters": nested_values(self.parameters, values),
        }
        (database / "parameter.cfg").write_text(json.dumps(given))
        output = database / "output"  # apart, so that a database that the trial puts there cannot take the shim's file
        output.mkdir(exist_ok=True)
        environment = {
            "NNI_PLATFORM": "local",
            "NNI_EXP_ID": self.experiment_id,
            "NNI_TRIAL_JOB_ID": f"run-{run.id}",
            "NNI_TRIAL_SEQ_ID": str(run.id - 1),
            "NNI_SYS_DIR": str(database),
            "NNI_OUTPUT_DIR": str(output),
            "NNI_CODE_DIR": str(self.code_folder),
            "LSMTUNE_METRICS": str(database / _METRICS),
            "PYTHONPATH": os.pathsep.join(filter(None, (str(SHIM), os.environ.get("PYTHONPATH", "")))),
        }
        variables = (f"{name}={value}" for name, value in environment.items())
        # bash replaces itself by a single command, so that it is the command that dies with lsmtune
        return (Process("measure", ("env", "-C", str(self.code_folder), *variables, "bash", "-c", self.command)),)

    def progress(self, process: Process, glance: Glance) -> Seen:  # noqa: ARG002 - there is one kind of process
        """Read from what was reported whether the final result is there, and the last intermediate one."""
        reported = _reported(glance.log)
        intermediate = [value for kind, value in reported if kind == "PERIODICAL"]
        detail = f"intermediate result {intermediate[-1]:.6g}" if intermediate else ""
        return Seen(None, any(kind == "FINAL" for kind, _ in reported), detail)

    def parse_results(self, run: Run, records: Sequence[ProcessRecord]) -> Measurement:
        """Take the final result, and what the process took; of one that was stopped, what is there.

        Raises:
            RunError: no result was reported, or one that cannot be compared as a ratio.
        """
        record = records[-1]
        reported = _reported(record.log)
        final = [value for kind, value in reported if kind == "FINAL"]
        if not final and record.stopped is None:
            raise RunError(f"the trial reported no final result; it has to call nni.report_final_result{_last(record)}")
        if final and not (math.isfinite(final[-1]) and final[-1] > 0):
            raise RunError(
                f"the trial reported {final[-1]:g} as its final result; gains are ratios, so report a number above 0"
            )
        values = {**self.space.reference, **run.configuration.values}
        active = self.space.active(values)
        intermediate = [value for kind, value in reported if kind == "PERIODICAL"]
        facts = {"intermediate_results": ", ".join(f"{value:.6g}" for value in intermediate)} if intermediate else {}
        return Measurement(
            {self.result: final[-1] if final else None, **_costs(record)},
            effective={name: values[name] for name in self.space.names if name in active},
            facts=facts,
        )

    def failure(self, record: ProcessRecord) -> str:
        """Say how the command ended, with its last line."""
        return f"{ending('the trial', record.returncode)}{_last(record)}"


def _reported(text: str) -> list[tuple[str, float]]:
    """Return the kinds and numbers of all results in the shim's lines; half a line is left out."""
    found = []
    for line in text.splitlines():
        try:
            entry: Any = json.loads(line)
            found.append((str(entry["type"]), float(entry["value"])))
        except (ValueError, TypeError, KeyError):
            continue
    return found


def _last(record: ProcessRecord) -> str:
    """Return the last line that the command printed, behind a colon; nothing where there is none."""
    for text in (record.stderr, record.stdout):
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if lines:
            return f": {lines[-1][:_MOST_SHOWN]}"
    return "; it printed nothing"


def _costs(record: ProcessRecord) -> Mapping[str, float | None]:
    return {
        "cpu_s": record.cpu_s,
        "memory_peak_bytes": record.memory_peak_bytes,
        "io_read_bytes": record.io_read_bytes,
        "io_written_bytes": record.io_written_bytes,
        "elapsed_s": record.elapsed_s,
    }
