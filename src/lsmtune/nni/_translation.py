"""An experiment of NNI over options of RocksDB becomes an experiment of lsmtune, as the text of its file."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from lsmtune.backends import expanded
from lsmtune.backends.db_bench import BENCHMARKS
from lsmtune.errors import LsmtuneError, UsageError
from lsmtune.experiment import parse_experiment
from lsmtune.model import Value
from lsmtune.nni._config import NniConfig
from lsmtune.nni._db_bench_trial import fixed_flags
from lsmtune.nni._option_ranges import option_value, range_text, spelled
from lsmtune.space import Catalogue, Option, catalogue

_WORKLOAD = {
    **{name: name for name in ("benchmarks", "num", "key_size", "value_size", "threads", "duration")},
    **{name: name for name in ("compression_ratio", "disable_wal", "statistics")},
    **dict.fromkeys(("reads", "writes", "deletes"), "operations"),
}
"""Key of [workload] by flag of db_bench."""

_SWITCHES = ("disable_wal", "statistics")
_LONGEST_S = 366 * 86400.0  # that a budget takes; who writes more, like 999d, wants no limit
_OURS = frozenset(
    {
        *("db", "wal_dir", "seed", "use_existing_db", "histogram", "report_file", "report_interval_seconds"),
        *("stats_interval", "stats_interval_seconds", "stats_per_interval", "report_bg_io_stats"),
    }
)
"""Flags that lsmtune gives itself."""


@dataclass(frozen=True)
class Asked:
    """What the user says beside NNI's configuration.

    Attributes:
        scale: the factor by which data and tree shrink; None for full size.
        benchmarks: what db_bench runs, where the trial's code does not say it.
        num: number of keys, where the trial's code does not say it.
        db_bench: the binary; None takes the usual one.
        trial: run the trial's command even where it is known to run db_bench.
    """

    scale: Fraction | None = None
    benchmarks: str | None = None
    num: str | None = None
    db_bench: Path | None = None
    trial: bool = False

    @property
    def for_db_bench(self) -> list[str]:
        """The names of what was said of db_bench, as the command line spells them."""
        names = ("scale", "benchmarks", "num", "db_bench")
        return [name.replace("_", "-") for name in names if getattr(self, name) is not None]


@dataclass(frozen=True)
class _Known:
    """What is fixed beside the search space.

    Attributes:
        flags: of db_bench.
        source: where they were read.
        is_trial: whether they are the whole trial, so that its result is known to be operations a second.
    """

    flags: Mapping[str, Value]
    source: str
    is_trial: bool


def runs_db_bench(config: NniConfig) -> bool:
    """Return whether the trial is known to run db_bench with its parameters as options of RocksDB."""
    return fixed_flags(config) is not None and not _foreign(config, catalogue())


def experiment_text(config: NniConfig, asked: Asked | None = None) -> str:
    """Return the experiment of lsmtune that does what an experiment of NNI does, with comments on what came from where.

    Args:
        config: of NNI.
        asked: what it does not say.

    Raises:
        UsageError: a parameter is no option of RocksDB, cannot take its values, or nothing says what db_bench runs.
        ExperimentError: the experiment would not be one that lsmtune can run.
    """
    wanted = asked or Asked()
    options = catalogue()
    known = _known(config, wanted)
    foreign = _foreign(config, options)
    if foreign:
        raise UsageError(
            f"{config.path}: {', '.join(foreign)} of its search space are no options of RocksDB; run the trial as it "
            f"is with lsmtune nni {config.path.name}"
        )
    text = "\n".join(_lines(config, wanted, known, options)) + "\n"
    try:
        parse_experiment(text, config.path.with_suffix(".toml"))
    except LsmtuneError as error:
        raise UsageError(
            f"{config.path} becomes an experiment that cannot be run: {_without_place(error)}; change it there"
        ) from None
    return text


def _known(config: NniConfig, asked: Asked) -> _Known:
    if asked.benchmarks is not None:
        if asked.num is None:
            raise UsageError("--benchmarks needs the number of keys beside it; add it like --num 1000000")
        return _Known({"benchmarks": asked.benchmarks, "num": asked.num}, "the command line", is_trial=False)
    found = fixed_flags(config)
    if found is None:
        raise UsageError(
            f'{config.path}: nothing tells what "{config.command}" asks of db_bench; name it with --benchmarks and '
            f"--num, or run the trial as it is with lsmtune nni {config.path.name}"
        )
    flags, source = found
    return _Known({**flags, **({"num": asked.num} if asked.num is not None else {})}, source, is_trial=True)


def _foreign(config: NniConfig, options: Catalogue) -> list[str]:
    """Return the parameters that are no options, or that hold parameters of their own."""
    flags = {option.flag for option in options.options.values()}
    return [
        parameter.name
        for parameter in config.parameters
        if parameter.nested or parameter.name not in flags | options.options.keys() | options.aliases.keys()
    ]


def _lines(config: NniConfig, asked: Asked, known: _Known, options: Catalogue) -> Iterator[str]:
    searched = [(_option(options, each.name), each) for each in config.parameters if each.only_value is None]
    ranges = {option.name: range_text(option, each) for option, each in searched}
    constants = {each.name: each.only_value for each in config.parameters if each.only_value is not None}
    own, fixed, others = _shared_out({**known.flags, **constants}, ranges.keys(), options)
    if own and "cache_size" not in {**own, **fixed} and (_reads(known) or "cache_size" in ranges):
        own["cache_size"] = "default"  # the trial does not say it either
    yield from _head(config)
    yield f"name = {json.dumps(_name(config.name))}"
    yield f"scale = {json.dumps(str(asked.scale or 1))}"
    yield from _engine(asked, own, known, options)
    yield from ("", f"[workload]  # from {known.source}")
    yield from _workload(known)
    yield from (f"{key} = {spelled(value)}" for key, value in others.items())
    yield from (
        "",
        f"[space]  # {_in_one_line(config.search_space)}",
        f"options = {json.dumps(list(ranges))}",
    )
    yield from ("", "[space.ranges]")
    yield from (f"{name} = {text}" for name, text in ranges.items())
    if fixed:
        yield from ("", f"[space.fixed]  # from {known.source}")
        yield from (f"{name} = {spelled(value, options.option(name))}" for name, value in fixed.items())
    if known.is_trial:
        yield from ("", "[objective]  # what the trial reports; throughput_settled_ops_s would count its debt too")
        yield "throughput_ops_s = 1.0"
    yield from _budget(config)
    yield from ("", f"[search]  # tuner {_in_one_line(config.tuner)}", f'sampler = "{config.counterpart.sampler}"')


def _head(config: NniConfig) -> Iterator[str]:
    yield f"# Made by lsmtune from {config.path.name}, an experiment of NNI (form {config.form} of its configuration)."
    yield f"# Its trial is: {_in_one_line(config.command)}"
    if not config.maximizes:
        yield "# It makes the result smaller; db_bench's throughput is made larger here."
    yield from (f"# {_in_one_line(note)}" for note in config.notes)
    yield ""


def _engine(asked: Asked, own: Mapping[str, Value], known: _Known, options: Catalogue) -> Iterator[str]:
    if asked.db_bench is not None or own:
        yield from ("", "[engine]")
    if asked.db_bench is not None:
        yield f"db_bench = {json.dumps(str(expanded(asked.db_bench).absolute()), ensure_ascii=False)}"
    if own:
        yield 'reference = "options"  # NNI has no reference; these are the values before tuning'
        yield from ("", f"[engine.options]  # from {known.source}")
        yield from (f"{name} = {spelled(value, options.option(name))}" for name, value in own.items())


def _reads(known: _Known) -> bool:
    phases = str(known.flags["benchmarks"]).split(",")
    return any(phase in BENCHMARKS and BENCHMARKS[phase].reads for phase in phases)


def _workload(known: _Known) -> Iterator[str]:
    taken = {_WORKLOAD[flag]: (flag, value) for flag, value in known.flags.items() if flag in _WORKLOAD}
    for key, (flag, value) in taken.items():
        yield f"{key} = {json.dumps(str(value).lower() in ('1', 'true')) if flag in _SWITCHES else spelled(value)}"
    if not known.is_trial:
        return
    if "statistics" not in taken:
        yield "statistics = false  # as in the trial; true adds counters and costs 5 to 10 % of the throughput"
    yield 'settle = "none"  # the trial ends with the last write; "wait" also lets compactions finish, and counts them'


def _shared_out(
    flags: Mapping[str, Value | None], searched: Collection[str], options: Catalogue
) -> tuple[dict[str, Value], dict[str, Value], dict[str, Value]]:
    """Return the values of searched options, of other options, and of flags that describe the workload."""
    by_flag = {option.flag: option for option in options.options.values() if option.flag is not None}
    own: dict[str, Value] = {}
    fixed: dict[str, Value] = {}
    others: dict[str, Value] = {}
    for flag, value in flags.items():
        if flag in _WORKLOAD or flag in _OURS or value is None:
            continue
        option = by_flag.get(flag) or options.options.get(options.aliases.get(flag, flag))
        if option is None:
            others[f"flags.{json.dumps(flag)}"] = value
        elif option.name in searched:
            own[option.name] = option_value(option, value)
        else:
            fixed[option.name] = option_value(option, value)
    return own, fixed, others


def _budget(config: NniConfig) -> Iterator[str]:
    yield from ("", "[budget]  # trials of the search; runs of the baseline and of the verification come on top")
    if config.time_s is not None:
        yield f"time = {min(max(1.0, config.time_s), _LONGEST_S):g}"
    if config.trials is not None:
        yield f"trials = {config.trials}"
    if config.time_s is None and config.trials is None:
        yield 'time = "30m"  # NNI would go on until it is stopped'


def _option(options: Catalogue, name: str) -> Option:
    found = next((option for option in options.options.values() if option.flag == name), None)
    return found or options.option(name)


def _without_place(error: LsmtuneError) -> str:
    """Return the first problem of an experiment without the file that it would have been in."""
    return re.sub(r"^.*?:\d+: ", "", str(error).splitlines()[0])


def _in_one_line(text: str) -> str:
    """Return a text that a comment can hold."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:80] or "nni"
