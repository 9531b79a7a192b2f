"""What of a configuration is written for a target, and what it cannot hold."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lsmtune.backends.rocksdb import derived_values, own_value
from lsmtune.exporters._base import DELAYED, LIMITER, ExportContext
from lsmtune.exporters._wording import setting_text, untranslated_texts, value_text
from lsmtune.exporters.targets._table import Companion, Key, Target, numbers
from lsmtune.exporters.targets._values import written
from lsmtune.model import Value
from lsmtune.space import Expression, Option, catalogue

_LEVELS = "levels"
_FIRST_LEVEL = "min_level_to_compress"
_OF_LEVELS = frozenset({"compression_type", "num_levels"})
"""What the list of the compression of each level repeats."""
_BY_HAND = "To be set by hand"
_DERIVED = "RocksDB made this number of 0 when it opened the study's database."
_STYLE = "compaction_style"
_FIFO_LIMITS = (
    "compaction_options_fifo and ttl, by which FIFO compaction deletes the oldest files: give them what the runs had, "
    "by flags of the workload or the OPTIONS file; left to itself RocksDB keeps 1 GiB of files"
)


@dataclass(frozen=True)
class Setting:
    """A key with the line that sets it.

    Attributes:
        key: the key.
        line: what is written.
        remarks: what stands above it: each option with its evidence, what was rounded, what has to be known.
    """

    key: Key
    line: str
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class Left:
    """An option that is left to the user: the target cannot hold it, though it differs, or nobody can translate it.

    Attributes:
        title: the list that it stands in.
        text: option, values and evidence, and what it means that it is missing.
    """

    title: str
    text: str


@dataclass(frozen=True)
class Plan:
    """What is written for a target.

    Attributes:
        settings: in the order of the target's table.
        companions: what has to stand beside them.
        left: what the target cannot hold, and what cannot be translated.
        as_default: changes of the study that the target makes by itself.
    """

    settings: tuple[Setting, ...]
    companions: tuple[Companion, ...]
    left: tuple[Left, ...]
    as_default: tuple[str, ...]


def plan(target: Target, context: ExportContext) -> Plan:
    """Return what differs from the target's own defaults, key by key."""
    values = _as_opened(target, context.values)
    differing = _differing(target, context, values)
    refused = _refused(target, values)
    settings: list[Setting] = []
    # A database that runs has what cannot be translated.
    left = [] if target.of_reference else [Left(_BY_HAND, text) for text in untranslated_texts(context)]
    for key in target.keys:
        told = [name for name in key.options if name in differing]
        if told:
            why = _shared_with(key, context) or "; ".join(refused[name] for name in key.options if name in refused)
            found = why or _setting(target, context, key, values)
            if isinstance(found, Setting):
                settings.append(found)
            else:
                left += [
                    Left(f"{target.title} cannot hold", f"{setting_text(context, name)}; {found}") for name in told
                ]
    for absent in target.absent:
        why = f"; {absent.why}" if absent.why else ""
        left += [Left(absent.title, setting_text(context, name) + why) for name in absent.options if name in differing]
    done = {name for setting in settings for name in setting.key.options}
    if _STYLE in done and values[_STYLE] == "fifo":
        left.append(Left(_BY_HAND, _FIFO_LIMITS))
    changed = (change.option for change in context.result.changes)
    return Plan(
        tuple(settings),
        tuple(each for each in target.companions if not each.options or done.intersection(each.options)),
        tuple(left),
        tuple(setting_text(context, name) for name in changed if name in values and name not in differing),
    )


def _as_opened(target: Target, values: Mapping[str, Value]) -> dict[str, Value]:
    """Return the values as RocksDB has them.

    A target that opens a database derives the same, but for what comes from a limiter that it need not have; a database
    that runs has to be told all of it.
    """
    own = {name: own_value(name, value) for name, value in values.items()}
    derived = derived_values(own)
    return own | {name: value for name, value in derived.items() if target.of_reference or name == DELAYED}


def _differing(target: Target, context: ExportContext, values: Mapping[str, Value]) -> set[str]:
    """Return the options that the target has otherwise by itself, or that a database under the reference has."""
    if not target.of_reference:
        defaults = {name: _default(target, context.catalogue.option(name), values) for name in values}
        return {
            name for name, default in defaults.items() if default is None or own_value(name, default) != values[name]
        }
    changed = {change.option for change in context.result.changes}
    reference = _as_opened(target, {**context.values, **context.reference_values})
    differing = {name for name, value in values.items() if name in changed or reference[name] != value}
    if _OF_LEVELS & differing and int(values.get(_FIRST_LEVEL, -1)) >= 0:
        differing.add(_FIRST_LEVEL)  # its list per level, which stays, would go before the new compression
    return differing


def _default(target: Target, option: Option, values: Mapping[str, Value]) -> Value | None:
    """Return what an option is in the target if nobody sets it; beside a limiter RocksDB delays writes to its rate."""
    limited = bool(values.get(LIMITER)) and any(LIMITER in key.options for key in target.keys)
    if option.name == DELAYED and limited and DELAYED not in target.defaults:
        return values[LIMITER]
    return target.default(option)


def _refused(target: Target, values: Mapping[str, Value]) -> dict[str, str]:
    """Return why the target's RocksDB would not open with the values of some options, as later ones do, by option."""
    why: dict[str, str] = {}
    demanded = catalogue().for_version(numbers(target.rocksdb)).constraints
    for relation in (each for each in demanded if each.until is not None):
        asked = Expression.parse(relation.expression)
        if asked.names <= values.keys() and not asked.evaluate(values):
            why |= dict.fromkeys(asked.names, f"before {relation.until} {relation.why.rstrip('.')}")
    return why


def _shared_with(key: Key, context: ExportContext) -> str:
    """Return why a key cannot be written that also holds what cannot be translated; empty where it does not."""
    held = {*key.options, *(_OF_LEVELS if _FIRST_LEVEL in key.options else ())}
    unknown = sorted(held & context.untranslated.keys())
    return f"its key also holds {' and '.join(unknown)}, which lsmtune cannot translate" if unknown else ""


def _setting(target: Target, context: ExportContext, key: Key, values: Mapping[str, Value]) -> Setting | str:
    """Return the key with its line, or why it cannot be written."""
    texts: dict[str, str] = {"key": key.name, "on": key.on}
    remarks = [setting_text(context, name) for name in key.options if name in values]
    for name in (name for name in key.options if name in values):
        value = values[name]
        text, remark = _text(target, context, key, name, value)
        if text is None:
            return remark
        texts[name] = text
        remarks += [remark] if remark else []
        remarks += [_DERIVED] if value != own_value(name, context.values[name]) else []
    if _FIRST_LEVEL in key.options:
        if 0 < key.levels < int(values["num_levels"]):
            return f"its list has {key.levels} levels, and num_levels is {values['num_levels']}"
        levels = _levels(key, values)
        if levels is None:
            return f"it has no word for {values['compression_type']}"
        texts[_LEVELS] = levels
    chosen = _plain(values[key.by]) if key.by in values else next(iter(key.lines), "")
    template = key.lines.get(chosen, key.line)
    if not template:
        return f"it has no way to say {key.by} = {chosen}"
    texts.setdefault("value", texts.get(key.options[0], ""))
    if any(f"{{{name}}}" in template and name not in texts for name in key.options):
        return "the study's engine does not have all of what is set together there"
    remarks += [key.note] if key.note else []
    return Setting(key, _filled(template, texts), tuple(remarks))


def _text(target: Target, context: ExportContext, key: Key, name: str, value: Value) -> tuple[str | None, str]:
    option = context.catalogue.option(name)
    spelled = _plain(value)
    if key.values and option.choices and name != _FIRST_LEVEL:
        if spelled not in key.values:
            return None, f"it has no word for {spelled}"
        return key.values[spelled], ""
    if spelled in key.values:
        return key.values[spelled], ""
    if key.most is not None and not isinstance(value, str) and value > key.most:
        return None, f"it takes at most {value_text(option, key.most)}"
    found = written(option, value, key.unit, target.objects[key.on].booleans or target.booleans)
    return found.text, found.remark


def _levels(key: Key, values: Mapping[str, Value]) -> str | None:
    """Return the compression of each level, spelled and joined; None where the target has no word for it."""
    count, first = max(key.levels, int(values["num_levels"])), int(values[_FIRST_LEVEL])
    names = ["none"] * max(first, 0) + [str(values["compression_type"])] * (count - max(first, 0))
    if any(key.values and name not in key.values for name in names):
        return None
    return key.separator.join(key.values.get(name, name) for name in names)


def _filled(template: str, texts: Mapping[str, str]) -> str:
    """Return the template with its fields filled in; braces that are no field stay, as languages are full of them."""
    for name, text in texts.items():
        template = template.replace(f"{{{name}}}", text)
    return template


def _plain(value: Value | None) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def listed(plan: Plan) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the titles of what is left with the texts under each, in order."""
    for title in dict.fromkeys(each.title for each in plan.left):
        yield title, tuple(each.text for each in plan.left if each.title == title)
