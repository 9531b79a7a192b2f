"""lsmtune import: what others recorded or wrote, as an experiment; one command for each kind."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from lsmtune.cli._common import DbBenchAlone, check_place, write_text
from lsmtune.cli._examples import examples_of
from lsmtune.cli.nni import Benchmarks, NniFile, Num, ScaleText, asked_of

app = typer.Typer(
    help="Write an experiment from what others recorded or wrote.",
    rich_markup_mode=None,
)

_Output: TypeAlias = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write there instead of to stdout.")
]


@app.command("nni", epilog=examples_of("import nni"))
def import_nni(
    config: NniFile,
    output: _Output = None,
    scale: ScaleText = None,
    benchmarks: Benchmarks = None,
    num: Num = None,
    db_bench: DbBenchAlone = None,
) -> None:
    """Write NNI's experiment on options of RocksDB as an experiment file of lsmtune.

    What the other tool fixes in code is read from there; comments name the source of each value, and what has no
    counterpart.
    """
    from lsmtune.nni import experiment_text, load_config

    _write(experiment_text(load_config(config), asked_of(scale, benchmarks, num, db_bench)), output)


@app.command("trace", epilog=examples_of("import trace"))
def import_trace(
    trace: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A trace of RocksDB's queries: DB::StartTrace, or db_bench --trace_file."),
    ],
    output: _Output = None,
    replay: Annotated[
        bool, typer.Option("--replay", help="Replay the trace as it is, instead of drawing what resembles it.")
    ] = False,
    num: Annotated[
        str | None,
        typer.Option(
            "--num", metavar="COUNT", help="Keys of the database; a trace has only those that were asked for."
        ),
    ] = None,
    scan_length: Annotated[
        int | None,
        typer.Option(
            "--scan-length", metavar="RECORDS", help="How many records a seek reads, which a trace does not contain."
        ),
    ] = None,
    hold_rate: Annotated[
        bool,
        typer.Option("--hold-rate", help="Keep the pace of the trace and weigh latencies; else as fast as it goes."),
    ] = False,
    db_bench: DbBenchAlone = None,
) -> None:
    """Write the experiment that a trace of RocksDB's queries gives.

    Condensed to the parameters of db_bench's mixgraph: shares of look-ups, writes and seeks, popularity of keys and of
    ranges of keys, sizes, rate. Each line names its source, and a guess is marked as one.
    """
    from lsmtune import api
    from lsmtune.units import parse_count

    check_place("--output", output)
    _write(
        api.import_trace(
            trace,
            replay=replay,
            num=None if num is None else parse_count(num),
            scan_length=scan_length,
            hold_rate=hold_rate,
            db_bench=db_bench,
        ),
        output,
    )


def _write(text: str, output: Path | None) -> None:
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_text(output, text)
