"""lsmtune bench-samplers."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from lsmtune.cli._common import Json, Quiet, make_console, print_json, write_text

_Samplers: TypeAlias = Annotated[
    list[str] | None, typer.Option("--sampler", metavar="NAME", help="Which ones; can be repeated [default: all].")
]
_Objective: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--objective",
        metavar="INDICATOR",
        help="What is to get better; several count the same [default: throughput_settled_ops_s].",
    ),
]
_Guards: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--guard", metavar="NAME=TEXT", help="What must not get worse [default: space_bytes=1.10x]; none: no guard."
    ),
]
_Beat: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--beat", metavar="FACTOR", min=1.0, help="Stop runs at so many times the best one's time, as tune may."
    ),
]


def bench_samplers(
    runs_table: Annotated[
        Path,
        typer.Argument(metavar="RUNS", help="Recorded runs, the .parquet of lsmtune sample or reproduce."),
    ],
    sampler: _Samplers = None,
    objective: _Objective = None,
    guard: _Guards = None,
    runs: Annotated[int, typer.Option("--runs", min=5, help="Runs of each search.")] = 60,
    seeds: Annotated[int, typer.Option("--seeds", min=2, help="Searches of each sampler.")] = 10,
    beat: _Beat = None,
    at_once: Annotated[
        int, typer.Option("--at-once", metavar="N", min=1, help="Hosts that make the runs of a search.")
    ] = 1,
    figure: Annotated[Path | None, typer.Option("--figure", metavar="FILE", help="Also write a figure, SVG.")] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Compare samplers on recorded runs, without an engine: what each finds after so many runs, and so much time.

    Models of the recorded runs stand for the engine, with its noise as it was measured; each sampler searches several
    times. It says which sampler to take, never how fast an engine is.
    """
    from lsmtune.extras import need
    from lsmtune.sampler_benchmark import (
        SamplerBenchmark,
        benchmark_samplers,
        sampler_benchmark_card,
        sampler_benchmark_figure,
        sampler_benchmark_json,
    )
    from lsmtune.samplers import SAMPLERS

    if figure is not None:
        need("lsmtune bench-samplers --figure", "matplotlib")
    bench = SamplerBenchmark(
        source=runs_table,
        objective=tuple((name, 1.0) for name in objective or ["throughput_settled_ops_s"]),
        guards=_guards(guard or ["space_bytes=1.10x"]),
        runs=runs,
        seeds=seeds,
        beat=beat,
        at_once=at_once,
    )
    with make_console(stderr=True).status("fitting the emulator") as status:

        def tell(name: str, done: int, of: int) -> None:
            if not quiet:
                status.update(f"{done} of {of} searches, the last by {name}")

        searches, best = benchmark_samplers(bench, sampler or list(SAMPLERS), tell)
    if json:
        print_json(sampler_benchmark_json(searches, best))
    else:
        make_console().print(sampler_benchmark_card(searches, best))
    if figure is not None:
        write_text(figure, sampler_benchmark_figure(searches, best))


def _guards(texts: list[str]) -> tuple[tuple[str, str], ...]:
    from lsmtune.errors import UsageError

    if texts == ["none"]:
        return ()
    pairs = [text.partition("=") for text in texts]
    wrong = [name for name, sign, _ in pairs if not sign]
    if wrong:
        raise UsageError(f'--guard {wrong[0]} says no bound; write it like --guard "{wrong[0]}=1.10x"')
    return tuple((name, text) for name, _, text in pairs)
