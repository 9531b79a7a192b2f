"""The list of commands, and the one place where exit codes are chosen."""

import os
import signal
import sys
from types import FrameType

import click
import typer

from lsmtune import __version__
from lsmtune.cli import doctor, export, init, options, schema, show, tune
from lsmtune.errors import LsmtuneError, UsageError

_FAILED, _WRONG_USE, _INTERRUPTED = 1, 2, 130

app = typer.Typer(
    name="lsmtune",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Find the options of RocksDB that matter for a workload, tune them, prove the gain, take it home.",
    epilog="Start with: lsmtune doctor, lsmtune init, lsmtune tune experiment.toml",
)
app.command("doctor")(doctor.doctor)
app.command("init")(init.init)
app.command("tune")(tune.tune)
app.command("show")(show.show)
app.command("export")(export.export)
app.command("options")(options.options)
app.command("schema")(schema.schema)


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", help="Print the version and exit.", is_eager=True),
) -> None:
    if version:
        typer.echo(f"lsmtune {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line and exit: 0 done, 1 could not be done, 2 wrong use, 130 interrupted."""
    signal.signal(signal.SIGTERM, _interrupt)
    sys.exit(_run())


def _run() -> int:
    try:
        code = app(standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return _WRONG_USE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _FAILED
    except (Exception, KeyboardInterrupt) as error:
        if os.environ.get("LSMTUNE_DEBUG"):
            raise
        return _complain(*_worded(error))
    return code if isinstance(code, int) else 0


def _worded(error: BaseException) -> tuple[str, int]:
    """Return the sentence and the exit code for whatever ended a command."""
    match error:
        case click.UsageError():
            command = error.ctx.command_path if error.ctx is not None else "lsmtune"
            return f"{error.format_message()} See: {command} --help", _WRONG_USE
        case click.ClickException():
            return error.format_message(), _WRONG_USE
        case LsmtuneError():
            return str(error), _WRONG_USE if isinstance(error, UsageError) else _FAILED
        case KeyboardInterrupt() | click.Abort():
            return "stopped; what was measured is kept, the same command goes on", _INTERRUPTED
        case OSError():
            return f"{error.filename or 'the system'}: {error.strerror or error}", _FAILED
        case _:
            name = type(error).__name__
            return f"a fault in lsmtune ({name}: {error}); repeat with LSMTUNE_DEBUG=1 and report it", _FAILED


def _complain(sentence: str, code: int) -> int:
    for line in sentence.splitlines():
        sys.stderr.write(f"lsmtune: {line}\n")
    return code


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
