"""The list of commands, and the one place where exit codes are chosen."""

import codecs
import io
import os
import signal
import sys
import warnings
from types import FrameType
from typing import Annotated, TextIO

import typer

from lsmtune import __version__
from lsmtune.cli import (
    analyze,
    bench_samplers,
    build,
    calibrate,
    check,
    compare,
    diagnose,
    doctor,
    export,
    help_,
    hosts,
    import_,
    init,
    memory,
    nni,
    options,
    predict,
    report,
    reproduce,
    sample,
    schema,
    show,
    sweep,
    timeline,
    tune,
    watch,
)
from lsmtune.cli._examples import examples_of
from lsmtune.errors import LsmtuneError, LsmtuneWarning, UsageError
from lsmtune.extras import extra_of, missing

_FAILED, _WRONG_USE, _INTERRUPTED = 1, 2, 130
_STOPPED = "stopped; what was measured is kept, the same command goes on"
_ParserError = typer.BadParameter.__bases__[0]  # typer has its own click and names only this error of it

app = typer.Typer(
    name="lsmtune",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # the plain help comes in a third of the time
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Find the options of RocksDB that matter for a workload, tune them, prove the gain, and export it.",
    epilog="Start with: lsmtune doctor, lsmtune init, lsmtune tune experiment.toml",
)
app.command("diagnose", epilog=examples_of("diagnose"))(diagnose.diagnose)
app.command("check", epilog=examples_of("check"))(check.check)
app.command("doctor", epilog=examples_of("doctor"))(doctor.doctor)
app.command("init", epilog=examples_of("init"))(init.init)
app.command("tune", epilog=examples_of("tune"))(tune.tune)
app.command("compare", epilog=examples_of("compare"))(compare.compare)
app.command("sample", epilog=examples_of("sample"))(sample.sample)
app.command("sweep", epilog=examples_of("sweep"))(sweep.sweep)
app.command("analyze", epilog=examples_of("analyze"))(analyze.analyze)
app.command("reproduce", epilog=examples_of("reproduce"))(reproduce.reproduce)
app.command("bench-samplers", epilog=examples_of("bench-samplers"))(bench_samplers.bench_samplers)
app.command("show", epilog=examples_of("show"))(show.show)
app.command("report", epilog=examples_of("report"))(report.report)
app.command("timeline", epilog=examples_of("timeline"))(timeline.timeline)
app.command("watch", epilog=examples_of("watch"))(watch.watch)
app.command("export", epilog=examples_of("export"))(export.export)
app.add_typer(nni.app, name="nni")
app.add_typer(import_.app, name="import")
app.add_typer(build.app, name="build")
app.add_typer(hosts.app, name="hosts")
app.command("memory", epilog=examples_of("memory"))(memory.memory)
app.command("calibrate", epilog=examples_of("calibrate"))(calibrate.calibrate)
app.command("predict", epilog=examples_of("predict"))(predict.predict)
app.command("options", epilog=examples_of("options"))(options.options)
app.command("help", epilog=examples_of("help"))(help_.explain)
app.command("schema", epilog=examples_of("schema"))(schema.schema)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lsmtune {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(_WRONG_USE)


def main() -> None:
    """Run the command line and exit: 0 done, 1 could not be done, 2 wrong use, 130 interrupted; see `tune` for more."""
    signal.signal(signal.SIGTERM, _interrupt)
    codecs.register_error("shown", _shown)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower() != "utf-8":
            stream.reconfigure(errors="shown")
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup ignores it
        signal.signal(signal.SIGHUP, _interrupt)
    code = _run()
    _say("")  # what a view could not write is still to be flushed
    sys.exit(code)


def _run() -> int:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", LsmtuneWarning)
            warnings.showwarning = _show_warning
            _hear_notes()
            code = app(standalone_mode=False)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _FAILED
    except (Exception, KeyboardInterrupt) as error:
        if os.environ.get("LSMTUNE_DEBUG"):
            raise
        return _complain(*_worded(error))
    if code == _INTERRUPTED:  # typer's answer to KeyboardInterrupt
        return _complain(_STOPPED, _INTERRUPTED)
    return code if isinstance(code, int) else 0


def _hear_notes() -> None:
    """Show what the model of the engine has to say while it is compiled."""
    import logging

    class Notes(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            _complain(record.getMessage(), 0)

    log = logging.getLogger("lsmtune.lsm_model")
    log.setLevel(logging.INFO)
    log.handlers = [Notes()]


def _worded(error: BaseException) -> tuple[str, int]:
    """Return the sentence and the exit code for whatever ended a command."""
    if isinstance(error, _ParserError):
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "lsmtune"
        sentence = error.format_message() if hasattr(error, "format_message") else str(error)
        return f"{sentence.rstrip('.')}; see {command} --help", _WRONG_USE
    if isinstance(error, LsmtuneError):
        return str(error), _WRONG_USE if isinstance(error, UsageError) else _FAILED
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return str(error) or _STOPPED, _INTERRUPTED
    if isinstance(error, OSError):
        return f"{error.filename or 'the system'}: {error.strerror or error}", _FAILED
    if isinstance(error, ModuleNotFoundError) and extra_of(library := (error.name or "").partition(".")[0]):
        return str(missing(f"lsmtune {' '.join(sys.argv[1:2])}", library)), _WRONG_USE
    name = type(error).__name__
    return f"a fault in lsmtune ({name}: {error}); repeat with LSMTUNE_DEBUG=1 and report it", _FAILED


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    del file  # never given
    if issubclass(category, LsmtuneWarning):
        _complain(str(message), 0)
    else:
        sys.stderr.write(warnings.formatwarning(message, category, filename, lineno, line))


def _complain(sentence: str, code: int) -> int:
    _say("".join(f"lsmtune: {line}\n" for line in sentence.splitlines()))
    return code


def _say(text: str) -> None:
    """Write to stderr; where it cannot be written, as its terminal is closed or its disk is full, nobody is told."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())  # else Python ends with a code of its own


def _shown(error: UnicodeError) -> tuple[str, int]:
    """Return what stands for characters that the terminal's encoding lacks: a bar for parts of bars, else "?"."""
    assert isinstance(error, UnicodeEncodeError)
    lacking = error.object[error.start : error.end]
    return "".join("#" if "\u2580" <= each <= "\u259f" else "?" for each in lacking), error.end


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
