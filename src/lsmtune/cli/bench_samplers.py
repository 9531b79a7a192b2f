"""lsmtune bench-samplers."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from lsmtune.cli._common import (
    Json,
    Quiet,
    check_place,
    finite,
    given_options,
    make_console,
    print_json,
    time_left,
    write_text,
)

if TYPE_CHECKING:
    from lsmtune.sampler_benchmark import Answer, SamplerBenchmark

_FOUR = ("agp", "smac", "tpe", "random")
_OWN_QUESTIONS = (
    "these problems have questions of their own; leave out --objective, --guard, --beat, --at-once, --figure"
)
_SEARCHES_ALONE = "--searches goes with a file of sets or --outside; of one table --json prints its searches"
_EVERY_PERCENT = 5
"""Where stderr is no terminal, searches are told of at most so often."""

_Runs: TypeAlias = Annotated[
    Path | None,
    typer.Argument(
        metavar="RUNS",
        help="Recorded runs, the .parquet of lsmtune sample or reproduce, or a .toml of several such sets.",
    ),
]
_Samplers: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--sampler",
        metavar="NAME",
        help=f"Which ones; can be repeated [default: all; of sets and outside problems {', '.join(_FOUR)}].",
    ),
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
_FirstSeed: TypeAlias = Annotated[
    int,
    typer.Option(
        "--first-seed", metavar="N", min=1, help="Seed of each sampler's first search; others than before: fresh ones."
    ),
]
_Beat: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--beat",
        metavar="FACTOR",
        min=1.0,
        callback=finite,
        help="Stop runs at so many times the best one's time, as tune may.",
    ),
]
_AtOnce: TypeAlias = Annotated[
    int, typer.Option("--at-once", metavar="N", min=1, help="Hosts that make the runs of a search.")
]
_Noise: TypeAlias = Annotated[
    float,
    typer.Option(
        "--noise",
        metavar="FACTOR",
        min=0.0,
        callback=finite,
        help="Let single runs vary by so many times what recorded ones do; 0.5 is as if each were the mean of four.",
    ),
]
_Points: TypeAlias = Annotated[
    bool, typer.Option("--points", help="Search the recorded configurations alone, without a model of them.")
]
_Use: TypeAlias = Annotated[
    str | None, typer.Option("--use", metavar="USE", help="Of a file of sets: those for development, or judging.")
]
_Outside: TypeAlias = Annotated[
    bool,
    typer.Option("--outside", help="Instead of recorded runs, problems that others made: COCO's mixed-integer ones."),
]
_Searches: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--searches",
        metavar="FILE",
        help="Also write what would be handed over after each run of each search, Parquet; for sets and problems, "
        "with what came of each as soon as it is known.",
    ),
]


def bench_samplers(
    runs_table: _Runs = None,
    sampler: _Samplers = None,
    objective: _Objective = None,
    guard: _Guards = None,
    runs: Annotated[int, typer.Option("--runs", min=5, help="Runs of each search.")] = 60,
    seeds: Annotated[int, typer.Option("--seeds", min=2, help="Searches of each sampler.")] = 20,
    first_seed: _FirstSeed = 1,
    beat: _Beat = None,
    at_once: _AtOnce = 1,
    noise: _Noise = 1.0,
    points: _Points = False,
    use: _Use = None,
    outside: _Outside = False,
    searches: _Searches = None,
    figure: Annotated[Path | None, typer.Option("--figure", metavar="FILE", help="Also write a figure, SVG.")] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Compare samplers on recorded runs, without an engine: what each finds after so many runs, and so much time.

    Models of the recorded runs stand for the engine, with its noise as it was measured, or with --points the recorded
    configurations alone; each sampler searches several times. With a file of sets
    (reproductions/samplers/questions.toml) it asks four questions of each set, and compares the first sampler with the
    others. It tells which sampler to take, not how fast an engine is.
    """
    from lsmtune.errors import UsageError
    from lsmtune.sampler_benchmark import OUTSIDE, SamplerBenchmark, Stand, benchmark_outside, benchmark_questions

    bench = SamplerBenchmark(
        source=runs_table or Path(),
        objective=tuple((name, 1.0) for name in objective or ["throughput_settled_ops_s"]),
        guards=_guards(guard or ["space_bytes=1.10x"]),
        runs=runs,
        seeds=seeds,
        beat=beat,
        stand=Stand.POINTS if points else Stand.EMULATOR,
        at_once=at_once,
        noise=noise,
        first_seed=first_seed,
    )
    if not _asks_several(runs_table, use, noise, outside=outside, points=points):
        if searches is not None:
            raise UsageError(_SEARCHES_ALONE)
        return _bench_one(bench, sampler, figure, quiet=quiet, json=json)
    if objective or guard or figure or beat is not None or at_once > 1:
        raise UsageError(_OWN_QUESTIONS)
    check_place("--searches", searches)
    ask = (
        partial(benchmark_outside, OUTSIDE, sampler or _FOUR, runs, bench.all_seeds)
        if outside
        else partial(benchmark_questions, _asked(bench, use), sampler or _FOUR)
    )
    with _telling("searching", quiet=quiet) as tell:
        answers = _written(ask(tell), searches)
    return _show(answers, json=json)


def _asks_several(runs_table: Path | None, use: str | None, noise: float, *, outside: bool, points: bool) -> bool:
    """Return whether several questions are asked: those of a file of sets, or the problems that others made.

    Raises:
        UsageError: an option says nothing of what is searched.
    """
    from lsmtune.errors import UsageError

    of_sets = runs_table is not None and runs_table.suffix == ".toml"
    if outside and runs_table is not None:
        raise UsageError(f"--outside takes problems of its own instead of {runs_table}; leave one of the two out")
    if outside and (idle := given_options(use=use, points=points, noise=noise != 1.0)):
        raise UsageError(f"{idle.split(',')[0]} goes with recorded runs; the problems of --outside have none")
    if not outside and runs_table is None:
        raise UsageError("name recorded runs, a .parquet or a .toml of several sets, or take --outside")
    if use is not None and not of_sets:
        raise UsageError(f'--use "{use}" chooses from a file of sets, a .toml; give one, or leave it out')
    return outside or of_sets


def _bench_one(
    bench: "SamplerBenchmark", sampler: list[str] | None, figure: Path | None, *, quiet: bool, json: bool
) -> None:
    from lsmtune.extras import need
    from lsmtune.sampler_benchmark import (
        benchmark_samplers,
        sampler_benchmark_card,
        sampler_benchmark_figure,
        sampler_benchmark_json,
    )
    from lsmtune.samplers import SAMPLERS

    if figure is not None:
        need("lsmtune bench-samplers --figure", "matplotlib")
        check_place("--figure", figure)
    with _telling("fitting the emulator", quiet=quiet) as tell:
        searches, best = benchmark_samplers(bench, sampler or list(SAMPLERS), tell)
    if json:
        print_json(sampler_benchmark_json(searches, best))
    else:
        make_console().print(sampler_benchmark_card(searches, best))
    if figure is not None:
        write_text(figure, sampler_benchmark_figure(searches, best))


def _asked(how: "SamplerBenchmark", use: str | None) -> "list[SamplerBenchmark]":
    """Return the questions of a file of sets; sets that nobody has recorded yet are named."""
    from lsmtune.errors import UsageError
    from lsmtune.sampler_benchmark import Use, read_sets

    if use is not None and use not in set(Use):
        raise UsageError(f'--use "{use}" is none of {", ".join(Use)}')
    wanted = [each for each in read_sets(how.source) if use in (None, each.use)]
    missing = [each.name for each in wanted if not each.runs.exists()]
    if missing:
        make_console(stderr=True).print(f"not recorded yet: {', '.join(missing)}", style="dim", highlight=False)
    found = [bench for each in wanted if each.runs.exists() for bench in each.benches(how)]
    if not found:
        raise UsageError(f"{how.source}: none of the sets asked for was recorded yet; record.sh beside it does that")
    return found


@contextmanager
def _telling(first: str, *, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Give what tells on stderr how far searches are: a line that is redrawn on a terminal, else one every few percent.

    Args:
        first: what is said before the first search has ended.
        quiet: says nothing of searches.
    """
    console, began, told = make_console(stderr=True), time.monotonic(), 0

    def tell(name: str, done: int, of: int) -> None:
        nonlocal told
        if quiet:
            return
        sentence = f"{done} of {of} searches, the last by {name}, {time_left(began, done / of)}"
        if console.is_terminal:
            status.update(sentence)
        elif done == of or 100 * done >= of * (told + _EVERY_PERCENT):
            told = 100 * done // of
            console.print(sentence, soft_wrap=True)

    with console.status(first) as status:
        yield tell


def _written(answers: "Iterable[Answer]", table: Path | None) -> "list[Answer]":
    """Return what comes of several questions; where a file is named, it has all that came by then."""
    from lsmtune.sampler_benchmark import searches_table
    from lsmtune.store import write_file

    told: list[Answer] = []
    for answer in answers:
        told.append(answer)
        if table is not None:
            write_file(table, searches_table(told).to_parquet(index=False, compression="zstd"))
    if table is not None:
        typer.echo(f"lsmtune: wrote {table}", err=True)
    return told


def _show(answers: "Sequence[Answer]", *, json: bool) -> None:
    """Print what came of several questions."""
    from lsmtune.sampler_benchmark import questions_card, questions_json

    if json:
        print_json(questions_json(answers))
    else:
        make_console().print(questions_card(answers))


def _guards(texts: list[str]) -> tuple[tuple[str, str], ...]:
    from lsmtune.errors import UsageError

    if texts == ["none"]:
        return ()
    pairs = [text.partition("=") for text in texts]
    wrong = [name for name, sign, _ in pairs if not sign]
    if wrong:
        raise UsageError(f'--guard {wrong[0]} says no bound; write it like --guard "{wrong[0]}=1.10x"')
    return tuple((name, text) for name, _, text in pairs)
