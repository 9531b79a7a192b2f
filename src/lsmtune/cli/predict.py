"""lsmtune predict."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import DbBench, Json, make_console, print_json, set_options


def predict(
    experiment: Annotated[Path, typer.Argument(metavar="EXPERIMENT", help="The experiment file.")],
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change an option of the reference; repeatable."),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option("--size", metavar="SIZE", help="Keys and values in the store [default: as the file says]."),
    ] = None,
    rate: Annotated[
        str | None, typer.Option("--rate", metavar="N", help="Rate of writes for which to predict stalls.")
    ] = None,
    host: Annotated[
        Path | None,
        typer.Option("--host", metavar="FILE", help="A calibration of another host [default: that of this one]."),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option("--memory", metavar="SIZE", help="Of the host, for its page cache [default: what this one has]."),
    ] = None,
    vary: Annotated[
        str | None, typer.Option("--vary", metavar="NAME", help="Predict for several values of an option.")
    ] = None,
    db_bench: DbBench = None,
    json: Json = False,
) -> None:
    """Predict write amplification, space, memory, rates and reads at full size, with 90 % intervals; runs nothing.

    Rates need `lsmtune calibrate` once. Tail latency is never predicted.
    """
    from lsmtune import api, report
    from lsmtune.backends.registry import option_units

    changed = set_options(changes)
    ask = partial(api.predict, experiment) if vary is None else partial(api.predict_curve, experiment, vary)
    found = ask(options=changed, size=size, rate=rate, host=host, memory=memory, db_bench=db_bench)
    if isinstance(found, list):
        name = str(vary)
        if json:
            print_json(report.curve_json(name, found))
        else:
            make_console().print(report.curve_card(name, option_units("rocksdb").get(name, ""), found))
    elif json:
        print_json(report.prediction_json(found))
    else:
        make_console().print(report.prediction_card(found))
