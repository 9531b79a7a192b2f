"""The effective configuration: what the engine said after it was opened."""

from collections.abc import Mapping

from lsmtune.backends.rocksdb import effective_values, overridden, with_unwritten
from lsmtune.backends.ycsb._command import CommandBuilder
from lsmtune.backends.ycsb._output import Hello
from lsmtune.errors import RunError, UsageError
from lsmtune.model import Configuration, Overridden, Value
from lsmtune.space import Kind, Option, library_values

_HEADERS = {
    "Version": "[Version]",
    "DBOptions": "[DBOptions]",
    "CFOptions": '[CFOptions "default"]',
    "TableOptions/BlockBasedTable": '[TableOptions/BlockBasedTable "default"]',
}
_CLIPS = "LevelDB clips"


def effective(
    commands: CommandBuilder, configuration: Configuration, hello: Hello | None
) -> tuple[dict[str, Value], tuple[Overridden, ...]]:
    """Return the values that the engine used, at full size, and those that it changed.

    Raises:
        RunError: what the engine said cannot be read.
    """
    if hello is None:
        return {}, ()
    options = commands.catalogue.options
    try:
        if commands.build.engine == "leveldb":
            used = _of_leveldb(hello.engine.effective_options.get("leveldb", {}), options)
            return used, _changed(configuration, used, options)
        text = _options_text(hello.engine.effective_options)
        used = effective_values(text, options.values(), commands.build.version, commands.option_scale)
    except (UsageError, ValueError) as error:
        raise RunError(f"the options that the engine used cannot be read back: {error}") from None
    changed = overridden(configuration.values, used, options.values(), commands.option_scale)
    defaults = library_values(commands.catalogue, commands.build.version_tuple)
    return with_unwritten(used, configuration.values, options.values(), defaults), changed


def _options_text(sections: Mapping[str, Mapping[str, str]]) -> str:
    """Return the sections as the OPTIONS file that they were read from; other column families were not in it."""
    blocks = (
        "\n".join([header, *(f"  {key}={value}" for key, value in sections.get(name, {}).items())])
        for name, header in _HEADERS.items()
        if name in sections
    )
    return "\n".join(blocks) + "\n"


def _of_leveldb(texts: Mapping[str, str], options: Mapping[str, Option]) -> dict[str, Value]:
    keys = {name: option.key or name for name, option in options.items()}
    return {name: _value(options[name], texts[key]) for name, key in keys.items() if key in texts}


def _value(option: Option, text: str) -> Value:
    if option.kind is Kind.BOOL:
        return text == "true"
    if option.kind is Kind.CHOICE:
        return text
    return int(text) if option.kind is Kind.INT else float(text)


def _changed(
    configuration: Configuration, used: Mapping[str, Value], options: Mapping[str, Option]
) -> tuple[Overridden, ...]:
    """Return the options of LevelDB that were clipped; the catalogue knows the limits."""
    return tuple(
        Overridden(name, asked, used[name], _reason(options[name]))
        for name, asked in configuration.items
        if name in used and used[name] != asked
    )


def _reason(option: Option) -> str:
    clause = option.constraint.partition(";")[0].partition(". ")[0].removesuffix(".")
    return clause if clause.startswith(_CLIPS) else ""
