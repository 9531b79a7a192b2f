"""What holds at a size at which nothing was measured, and what a calibration measures for it."""

import tempfile
import time
import warnings
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from lsmtune.api._asked import Asked, read_experiment
from lsmtune.api._prediction_question import PredictionQuestion, Subject
from lsmtune.backends.registry import engines_of
from lsmtune.errors import LsmtuneWarning, UsageError
from lsmtune.executors import HostLock, Progress, host_facts
from lsmtune.forecast import Calibration, Prediction, kept_at
from lsmtune.model import Value
from lsmtune.store import write_whole
from lsmtune.study import prepare

_NOTHING: Mapping[str, Value] = MappingProxyType({})


def calibrate(
    *,
    engine: str = "rocksdb",
    db_bench: str | Path | None = None,
    scratch: str | Path | None = None,
    quiet: bool = False,
) -> Calibration:
    """Measure what work costs on this host with a build, for `predict`: about a minute; kept for this host and build.

    Measures writes as the memtable grows, with and without a log, flushes, merges, each codec, files and the device.
    Nothing else should run meanwhile.

    Args:
        engine: whose work is measured, with its own db_bench: ``"rocksdb"`` or ``"leveldb"``.
        db_bench: the binary; left out, the one that is found.
        scratch: folder for the data, on the device that is meant; left out, a temporary one.
        quiet: show no progress.

    Raises:
        EngineError: there is no db_bench of this engine, or none that can be measured.
        RunError: it failed.
        UsageError: there is no such folder, or no such engine.

    Examples:
        A program stands in for ``db_bench`` here, and is told apart from one.

        >>> from pathlib import Path
        >>> import lsmtune
        >>> from lsmtune.testing import fake_db_bench
        >>> lsmtune.calibrate(db_bench=fake_db_bench.install(Path()), quiet=True)
        Traceback (most recent call last):
            ...
        lsmtune.errors.RunError: db_bench ended with 1 while it was measured: ERROR: unknown command line flag
        'disable_auto_compactions'
    """
    from lsmtune.api._working import listening  # what shows progress; predictions have none

    if scratch is not None and not Path(scratch).is_dir():
        raise UsageError(f"--scratch {scratch} is no folder; make it, or leave it out")
    driven = engines_of("db_bench")
    if engine not in driven:
        raise UsageError(f"--engine {engine} has no db_bench that can be calibrated; choose one of {', '.join(driven)}")
    backend = driven[engine]
    build = backend.find(engine, None if db_bench is None else Path(db_bench), backend.flag)
    came_s = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="lsmtune-calibrate-", dir=scratch) as folder,
        listening(None, quiet=quiet) as listener,
        HostLock(waiting=lambda by: listener.progress(Progress("waiting", None, time.monotonic() - came_s, by))),
    ):
        place = Path(folder)
        host = host_facts(place)
        listener.stage("calibrate", "what work costs here, about a minute")
        costs = backend.costs(build, place, lambda part: listener.note(f"{part.number} of {part.of}: {part.measures}"))
    made = datetime.now(UTC).isoformat(timespec="seconds")
    found = Calibration(host.fingerprint, host.name, host.cores, build.fingerprint, build.version, made, costs)
    _keep(found, kept_at(host, build))
    return found


def _keep(calibration: Calibration, path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, calibration.text().encode())
    except OSError as error:
        sentence = f"{path} cannot be written: {error.strerror}; predict does not find this calibration"
        warnings.warn(sentence, LsmtuneWarning, stacklevel=3)


def predict(  # noqa: PLR0913 - each is named at the call
    experiment: Asked,
    *,
    options: Mapping[str, Value] = _NOTHING,
    size: str | int | None = None,
    rate: str | float | None = None,
    host: str | Path | None = None,
    memory: str | int | None = None,
    db_bench: str | Path | None = None,
) -> Prediction:
    """Predict what a configuration comes to at full size, each figure with a 90 % interval.

    A model of the tree runs the writes of the experiment event by event, with the engine's own rules
    (docs/explanation/predict.md says how far it is off), and then its reads through a block cache in miniature. Rates
    need a calibration of the
    host and build; what the model cannot tell it names.

    Args:
        experiment: what is asked for; its reference is predicted, at full size whatever its scale is.
        options: values that are changed, by name: ``{"write_buffer_size": "256MiB"}``.
        size: keys and values that the store shall hold, like ``"4TiB"``; left out, as the experiment says.
        rate: writes/s at which stalls are asked for, like ``"50k"``.
        host: file of a calibration; left out, the one of this host.
        memory: of the host, like ``"64GiB"``: what the process does not need is left for the page cache; left out, what
            this host has, unless `host` names another one.
        db_bench: a binary that goes before the experiment's own.

    Raises:
        UsageError: the experiment, a file or a value is wrong, or the model does not describe the workload.
        OptionError: an option is unknown or cannot take its value.
        EngineError: the experiment needs an engine, and there is none.

    Examples:
        >>> from pathlib import Path
        >>> import lsmtune
        >>> from lsmtune.testing import fake_db_bench
        >>> text = 'scale = "1/64"' + chr(10) + '[workload]' + chr(10) + 'benchmarks = "fillrandom"' + chr(10)
        >>> _ = Path("fill.toml").write_text(text + 'num = "32M"' + chr(10) + 'value_size = 1024')
        >>> engine = fake_db_bench.install(Path())
        >>> found = lsmtune.predict("fill.toml", db_bench=engine)
        >>> larger = lsmtune.predict("fill.toml", options={"write_buffer_size": "512MiB"}, db_bench=engine)
        >>> found["waf"].value > larger["waf"].value
        True
    """
    prepared = prepare(read_experiment(experiment, searches=False), None if db_bench is None else Path(db_bench))
    return PredictionQuestion(Subject.of(prepared), size=size, rate=rate, host=host, memory=memory).answer(options)


def predict_curve(  # noqa: PLR0913 - each is named at the call
    experiment: Asked,
    vary: str,
    *,
    options: Mapping[str, Value] = _NOTHING,
    size: str | int | None = None,
    rate: str | float | None = None,
    host: str | Path | None = None,
    memory: str | int | None = None,
    db_bench: str | Path | None = None,
) -> list[tuple[Value, Prediction]]:
    """Predict the same for several values of one option: an eighth of the reference's to eight times as much, or all.

    Takes what `predict` takes, and raises what it raises.

    Examples:
        >>> from pathlib import Path
        >>> import lsmtune
        >>> from lsmtune.testing import fake_db_bench
        >>> fill = {"name": "fill", "workload": {"benchmarks": "fillrandom", "num": "32M", "value_size": 1024}}
        >>> engine = fake_db_bench.install(Path())
        >>> curve = lsmtune.predict_curve(fill, "write_buffer_size", db_bench=engine)
        >>> [value >> 20 for value, _ in curve]
        [8, 16, 32, 64, 128, 256, 512]
    """
    prepared = prepare(read_experiment(experiment, searches=False), None if db_bench is None else Path(db_bench))
    return PredictionQuestion(Subject.of(prepared), size=size, rate=rate, host=host, memory=memory).curve(vary, options)
