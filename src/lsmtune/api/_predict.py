"""What holds at a size at which nothing was measured, and what a calibration measures for it."""

import difflib
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

from lsmtune.api._studies import Asked, read_experiment
from lsmtune.api._working import listening
from lsmtune.backends.registry import backend_of, with_workload
from lsmtune.errors import LsmtuneWarning, OptionError, UsageError
from lsmtune.executors import HostLock, host_facts
from lsmtune.forecast import Calibration, Prediction, at_size, kept, kept_at, predicted
from lsmtune.model import Value
from lsmtune.space import Option, read_value
from lsmtune.study import Prepared, prepare
from lsmtune.units import parse_bytes, parse_count

_NOTHING: Mapping[str, Value] = MappingProxyType({})
_DOUBLINGS = range(-3, 4)


def calibrate(
    *, db_bench: str | Path | None = None, scratch: str | Path | None = None, quiet: bool = False
) -> Calibration:
    """Measure what work costs on this host with a build, for `predict`: about a minute; kept for this host and build.

    Measures writes as the memtable grows, with and without a log, flushes, merges, each codec, files and the device.
    Nothing else should run meanwhile.

    Args:
        db_bench: the binary; left out, the one that is found.
        scratch: folder for the data, on the device that is meant; left out, a temporary one.
        quiet: show no progress.

    Raises:
        EngineError: there is no db_bench that can be measured.
        RunError: it failed.
        UsageError: there is no such folder.

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
    if scratch is not None and not Path(scratch).is_dir():
        raise UsageError(f"--scratch {scratch} is no folder; make it, or leave it out")
    (_, engine), backend = next(iter(with_workload().items()))
    build = backend.find(engine, None if db_bench is None else Path(db_bench), backend.flag)
    with (
        tempfile.TemporaryDirectory(prefix="lsmtune-calibrate-", dir=scratch) as folder,
        listening(None, quiet=quiet) as listener,
        HostLock(),
    ):
        place = Path(folder)
        host = host_facts(place)
        listener.stage("calibrate", "what work costs here, about a minute")
        costs = backend.costs(build, place, lambda part: listener.note(f"{part.number} of {part.of}: {part.measures}"))
    made = datetime.now(UTC).isoformat(timespec="seconds")
    found = Calibration(host.fingerprint, host.name, host.cores, build.fingerprint, build.version, made, costs)
    path = kept_at(host, build)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found.text())
    except OSError as error:
        sentence = f"{path} cannot be written: {error.strerror}; predict does not find this calibration"
        warnings.warn(sentence, LsmtuneWarning, stacklevel=2)
    return found


def predict(
    experiment: Asked,
    *,
    options: Mapping[str, Value] = _NOTHING,
    size: str | int | None = None,
    rate: str | float | None = None,
    host: str | Path | None = None,
    db_bench: str | Path | None = None,
) -> Prediction:
    """Predict what a configuration comes to at full size, each figure with a 90 % interval.

    A model of the tree runs the writes of the experiment event by event, with the engine's own rules (docs/predict.md
    says how far it is off). Rates need a calibration of the host and build; what the model cannot tell it names.

    Args:
        experiment: what is asked for; its reference is predicted, at full size whatever its scale is.
        options: values that are changed, by name: ``{"write_buffer_size": "256MiB"}``.
        size: keys and values that the store shall hold, like ``"4TiB"``; left out, as the experiment says.
        rate: writes/s at which stalls are asked for, like ``"50k"``.
        host: file of a calibration; left out, the one of this host.
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
    return _Question(prepared, size, rate, host).answer(options)


def predict_curve(
    experiment: Asked,
    vary: str,
    *,
    options: Mapping[str, Value] = _NOTHING,
    size: str | int | None = None,
    host: str | Path | None = None,
    db_bench: str | Path | None = None,
) -> list[tuple[Value, Prediction]]:
    """Predict the same for several values of one option: an eighth of the reference's to eight times as much, or all.

    Takes what `predict` takes, without a rate, and raises what it raises.

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
    question = _Question(prepared, size, None, host)
    option = question.option(vary)
    centre = read_value(option, options[vary]) if vary in options else prepared.space.reference[vary]
    return [(value, question.answer({**options, vary: value})) for value in _values(option, centre)]


class _Question:
    """What is asked about, whatever the options are."""

    def __init__(
        self, prepared: Prepared, size: str | int | None, rate: str | float | None, host: str | Path | None
    ) -> None:
        self._prepared = prepared
        backend = backend_of(prepared.build)
        phases = backend.tree_writes(prepared.workload, Fraction(1))
        if not phases:
            raise UsageError("nothing is written by this workload; the model of a tree tells of writes alone")
        self._phases = phases if size is None else at_size(phases, parse_bytes(size))
        self._rate = None if rate is None else float(parse_count(rate))
        here = host_facts(Path(tempfile.gettempdir()))
        found = Calibration.read(Path(host)) if host is not None else kept(here, prepared.build)
        self._costs = None if found is None else found.costs
        self._cores = here.cores if found is None else found.cores
        self._other = ""
        if found is not None and found.build != prepared.build.fingerprint:
            self._other = f"costs were measured with another build, {found.version}, on {found.host_name}"

    def option(self, name: str) -> Option:
        """Return an option of the engine.

        Raises:
            OptionError: there is none of that name.
        """
        known = self._prepared.catalogue
        if name not in known.options and name not in known.aliases:
            close = difflib.get_close_matches(name, known.options, n=1)
            meant = f'; did you mean "{close[0]}"?' if close else "; see lsmtune options"
            raise OptionError(f'"{name}" is no option of this engine{meant}')
        return known.option(name)

    def answer(self, options: Mapping[str, Value]) -> Prediction:
        """Return what is predicted of the reference with some options changed."""
        values = dict(self._prepared.space.reference)
        for name, value in options.items():
            option = self.option(name)
            values[option.name] = read_value(option, value)
        found = predicted(values, self._phases, self._costs, self._cores, self._rate)
        return replace(found, assumptions=(self._other, *found.assumptions)) if self._other else found


def _values(option: Option, centre: Value) -> list[Value]:
    """Return the values of an option that a curve goes through, ascending."""
    if option.choices:
        return list(option.choices)
    if isinstance(centre, bool):
        return [False, True]
    if isinstance(centre, str):
        return [centre]
    found: list[Value] = []
    for power in _DOUBLINGS:
        value = centre * 2.0**power if isinstance(centre, float) else round(centre * 2.0**power)
        if value > 0 and value not in found:
            found.append(value)
    return found or [centre]
