"""An experiment otherwise than its file says, as flags ask for: more data or less, or another sampler."""

import re
import tomllib
from typing import Any, get_args

from lsmtune.backends import KeyPath, findings
from lsmtune.errors import UsageError
from lsmtune.experiment._checks import CHECKS, tool_findings
from lsmtune.experiment._experiment import Experiment
from lsmtune.experiment._lines import key_lines
from lsmtune.experiment._tables import SearchTable
from lsmtune.units import parse_count, parse_scale

_VALUE = r"""\s*=\s*)(?:"[^"\n]*"|'[^'\n]*'|[0-9][^\s,#}]*)"""


def resized(experiment: Experiment, *, scale: str = "", num: str = "") -> Experiment:
    """Return the experiment at another scale or with another number of keys, as if its file said so.

    Its name says it, too: what it measures is another study.

    Args:
        experiment: read from a text, which is changed with it and kept by the study.
        scale: like ``"1/256"``; empty: the experiment's.
        num: keys at full size, like ``"16M"``; empty: the experiment's.

    Raises:
        UsageError: it cannot be run so, or the text does not say the number of keys in a way that can be changed.
    """
    text, changed = experiment.text, experiment
    if scale:
        changed = changed.model_copy(update={"scale": parse_scale(scale)})
        text = _with_value(text, ("scale",), scale)
    if num:
        table = changed.workload_table.model_copy(update={"num": parse_count(num)})
        changed = changed.model_copy(update={"workload_table": table})
        text = _with_value(text, ("workload", "num"), num)
    _check(changed, _words(scale, num))
    marks = [f"{key}-{value.replace('/', '-')}" for key, value in (("scale", scale), ("num", num)) if value]
    return changed.model_copy(update={"name": "-".join((experiment.name[:60], *marks))}).with_text(text)


def searching_with(experiment: Experiment, sampler: str) -> Experiment:
    """Return the experiment with another sampler; what would be wrong if its file named that one is wrong here, too.

    Raises:
        UsageError: there is no such sampler, or it does not go with the rest of the experiment.
    """
    known = get_args(SearchTable.model_fields["sampler"].annotation)
    if sampler not in known:
        raise UsageError(f'--sampler: "{sampler}" is not a sampler; choose one of {", ".join(known)}')
    changed = experiment.model_copy(update={"search": experiment.search.model_copy(update={"sampler": sampler})})
    _check(changed, f"--sampler {sampler}")
    return changed


def _check(changed: Experiment, flags: str) -> None:
    for problem in (*tool_findings(changed, frozenset()), *findings(changed, CHECKS, frozenset())):
        raise UsageError(f"with {flags}: {problem}")


def _words(scale: str, num: str) -> str:
    return " and ".join([f'scale = "{scale}"'] * bool(scale) + [f'num = "{num}"'] * bool(num))


def _with_value(text: str, path: KeyPath, value: str) -> str:
    """Return TOML in which a key has another value; one without tables above it may be new."""
    key = str(path[-1])
    line = key_lines(text).get(path)
    if line is None and len(path) == 1:
        return f'{key} = "{value}"\n{text}'
    lines = text.splitlines(keepends=True)
    if line is not None:
        changed = re.sub(rf"(\b{key}{_VALUE}", lambda found: f'{found[1]}"{value}"', lines[line - 1], count=1)
        new = "".join([*lines[: line - 1], changed, *lines[line:]])
        if _value_at(new, path) == value:
            return new
    raise UsageError(f"the experiment does not say {'.'.join(map(str, path))} on a line of its own; change it there")


def _value_at(text: str, path: KeyPath) -> Any:
    found: Any = tomllib.loads(text)
    for key in path:
        found = found[key]
    return found
