"""The text of an export for a target: its head, and the lines of each object or section."""

import re
from collections.abc import Iterable, Iterator

from lsmtune.exporters._base import ExportContext
from lsmtune.exporters._composed import Composed, compose
from lsmtune.exporters._wording import changes_title, commented, origin, overridden_text, verdict
from lsmtune.exporters.targets._plan import Plan, listed, plan
from lsmtune.exporters.targets._table import UNKNOWN, Block, Target

_STARTED_FROM_FILE = (
    "The study started from an OPTIONS file: what lsmtune does not know of it is missing here; the format "
    "options-file has all of it."
)
_NOTHING = "Nothing of the configuration differs from the defaults of {}."


def target_text(target: Target, context: ExportContext) -> str:
    """Return the final configuration for a target, at full size, with its evidence; the text ends with a line end.

    A database is opened with the whole configuration before anything is written, by the study's own engine.

    Raises:
        ExportError: the engine refuses the configuration.
    """
    composed = compose(context)
    made = plan(target, context)
    return "\n".join((*_head(target, context, made, composed), "", *code(target, made))) + "\n"


def code(target: Target, made: Plan) -> Iterator[str]:
    """Yield the lines of an export below its head: what the system reads, each setting below its evidence."""
    body = tuple(_body(target, made))
    before = target.before.replace("{imports}", "\n".join(_imports(target, body)))
    yield from before.strip("\n").splitlines()
    yield from body
    yield from target.after.rstrip("\n").splitlines()


def _head(target: Target, context: ExportContext, made: Plan, composed: Composed) -> Iterator[str]:
    yield from _said(target, origin(context))
    yield from _said(target, verdict(context.result))
    yield target.comment
    yield from _said(target, _about(target, context))
    yield from _said(target, target.notes)
    yield from _said(target, (each.note for each in made.companions if not each.line))
    if context.result.final.options_file is not None:
        yield from _said(target, [_STARTED_FROM_FILE])
    yield target.comment
    yield from _said(target, changes_title(context.result))
    lists = (("The changes that {} makes by itself", made.as_default), *listed(made))
    for title, listing in lists:
        if listing:
            yield target.comment
            yield from _said(target, [f"{title.format(target.title)}:"])
            yield from _said(target, listing, "  ")
    if composed.overridden:
        yield target.comment
        yield from _said(target, [f"RocksDB {context.build.version} changes these values when it opens the database:"])
        texts = (overridden_text(each, context.catalogue.option(each.option)) for each in composed.overridden)
        yield from _said(target, texts, "  ")
    if context.result.warnings:
        yield target.comment
        yield from _said(target, ["Findings of the study:"])
        yield from _said(target, map(str, context.result.warnings), "  ")
    if not made.settings:
        yield target.comment
        yield from _said(target, [_NOTHING.format(target.words)])


def _about(target: Target, context: ExportContext) -> Iterator[str]:
    against = "the reference of the study" if target.of_reference else "its own defaults"
    measured = context.result.build.version
    if target.rocksdb == UNKNOWN:
        its = "its own RocksDB, of a version that lsmtune does not know,"
        yield f"For {target.words}: {target.summary} It holds what differs from {against}."
    else:
        its = f"RocksDB {target.rocksdb}"
        yield f"For {target.words}, with {its}: {target.summary} It holds what differs from {against}."
    if measured != target.rocksdb:
        yield f"The study measured RocksDB {measured}; that {target.title} gains as much with {its} was not measured."
    yield f"Keys and defaults: {target.source}. Such exports are {target.checked}."


def _body(target: Target, made: Plan) -> Iterator[str]:
    first = True
    for name, block in target.objects.items():
        if block.within:
            continue
        lines = list(_block(target, made, name, block))
        if lines and not first:
            yield ""
        first = first and not lines
        yield from lines


def _block(target: Target, made: Plan, name: str, block: Block) -> Iterator[str]:
    """Yield the lines of an object with what stands around them; none where nothing of it is set."""
    comments: list[str] = []
    parts: list[str] = []
    for above, line in _parts(target, made, name, block.indent):
        if block.join is None:
            parts += [*above, *(block.indent + each for each in line.splitlines())]
        else:
            comments += above
            parts.append(line)
    if not parts and not block.always:
        return
    if block.join is not None:
        yield from comments
        yield block.indent + block.open + block.join.join(parts) + block.close
        return
    yield from block.open.splitlines()
    yield from parts
    yield from block.close.splitlines()


def _parts(target: Target, made: Plan, name: str, indent: str) -> Iterator[tuple[list[str], str]]:
    """Yield what is written of an object, each with the comments above it."""
    for setting in made.settings:
        if setting.key.on == name:
            yield list(_said(target, setting.remarks, indent=indent)), setting.line
    for companion in made.companions:
        if companion.on == name and companion.line:
            yield list(_said(target, [companion.note], indent=indent)), companion.line
    for inner, block in target.objects.items():
        if block.within == name:
            found = list(_parts(target, made, inner, indent))
            if found:
                joined = (block.join or "").join(line for _, line in found)
                yield [line for above, _ in found for line in above], block.open + joined + block.close


def _imports(target: Target, body: Iterable[str]) -> Iterator[str]:
    """Yield the lines that import what is used, and nothing else."""
    code = "\n".join(line for line in body if not line.lstrip().startswith(target.comment))
    code += target.before + target.after
    known = target.imports.get("names", ())
    used = [name for name in known if re.search(rf"\b{re.escape(name.rpartition('.')[2])}\b", code)]
    if "each" in target.imports:
        yield from (target.imports["each"].replace("{}", name) for name in used)
    elif used:
        yield target.imports["line"].replace("{}", ", ".join(used))


def _said(target: Target, sentences: Iterable[str], inside: str = "", *, indent: str = "") -> Iterator[str]:
    for line in commented(sentences, inside):
        yield indent + line.replace("#", target.comment, 1)
