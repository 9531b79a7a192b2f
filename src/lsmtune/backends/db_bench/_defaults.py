"""The values that options have in a db_bench where nobody sets them."""

from lsmtune.model import EngineBuild, Value
from lsmtune.space import Catalogue, changed_defaults, default_of


def default_values(build: EngineBuild, catalogue: Catalogue) -> dict[str, Value]:
    """Return the value of each option in a db_bench without flags: as the binary prints it, else the catalogue's."""
    version = build.version_tuple
    defaults = {name: default_of(option, "tool", version) for name, option in catalogue.options.items()}
    values = {name: value for name, value in defaults.items() if value is not None}
    changed = changed_defaults(catalogue, version, dict(build.flags))
    return values | {change.option.name: change.binary for change in changed}
