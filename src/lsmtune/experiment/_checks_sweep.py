"""What has to fit together in the table [sweep]: lists of values, variants, the competing factor."""

from collections import Counter
from collections.abc import Iterator
from functools import partial

from lsmtune.backends import KeyPath, Problem, one_of
from lsmtune.backends.registry import catalogue_of, tools_of
from lsmtune.errors import UsageError
from lsmtune.experiment._experiment import Experiment
from lsmtune.experiment._messages import about, refusal
from lsmtune.experiment._names import axis_of, is_option
from lsmtune.experiment._tables import RangeTable, SweepTable
from lsmtune.space import Catalogue, read_value
from lsmtune.stats import lost_value

SWEEP: KeyPath = ("sweep",)


def check_sweep(catalogue: Catalogue, experiment: Experiment) -> Iterator[Problem]:
    """Yield a problem for each option, variant and competing factor of the sweep that cannot be meant."""
    table = experiment.sweep
    if table is None:
        return
    for name, values in table.options.items():
        where: KeyPath = (*SWEEP, "options", name)
        if sentence := refusal(partial(catalogue.option, name)):
            yield Problem(where, sentence)
        elif sentence := refusal(
            partial(axis_of, catalogue.option(name), RangeTable.model_validate({"values": list(values)}))
        ):
            yield Problem(where, about(name, sentence))
    for name in table.variants:
        yield from _name_is_free(catalogue, table, name)
        yield from _variants_fit(catalogue, experiment.engine.name, table, name)
    yield from _options_are_set_once(catalogue, experiment.engine.name, table)
    yield from _columns_go_with_axes(experiment, table)
    known = (*table.options, *table.axes, *table.variants)
    if table.rival is not None and table.rival not in known:
        yield Problem((*SWEEP, "rival"), f'"{table.rival}" is not swept; write {one_of(known)}')
    elif table.fraction is not None:
        yield from _every_value_stays(table, table.fraction)


def _name_is_free(catalogue: Catalogue, table: SweepTable, name: str) -> Iterator[Problem]:
    where: KeyPath = (*SWEEP, "variants", name)
    if not name.isidentifier():
        yield Problem(where, "is a name that tables cannot have; write letters, digits and _")
    elif is_option(catalogue, name) or name in table.axes:
        kind = "an option" if is_option(catalogue, name) else "an axis"
        yield Problem(where, f"is the name of {kind}; give the variants one of their own, style")


def _variants_fit(catalogue: Catalogue, engine: str, table: SweepTable, name: str) -> Iterator[Problem]:
    listed = table.variants[name]
    if len(listed) < 2:
        yield Problem(
            (*SWEEP, "variants", name), "lists fewer than two; write each with a name and set = { option = value }"
        )
    for place, variant in enumerate(listed):
        where: KeyPath = (*SWEEP, "variants", name, place)
        if variant.name in [other.name for other in listed[:place]]:
            yield Problem((*where, "name"), f'"{variant.name}" stands there twice; give each one a name')
        known = catalogue if variant.engine in (None, engine) else catalogue_of(variant.engine)
        for option, value in variant.values.items():
            if sentence := refusal(partial(known.option, option)):
                yield Problem((*where, "set", option), sentence)
            elif sentence := refusal(partial(read_value, known.option(option), value)):
                yield Problem((*where, "set", option), about(option, sentence))


def _columns_go_with_axes(experiment: Experiment, table: SweepTable) -> Iterator[Problem]:
    """What runs on another engine or build has other options, so that no other factor may set any there."""
    for name, listed in table.variants.items():
        for place, variant in enumerate(listed):
            if not variant.runs_elsewhere(experiment.engine.name):
                continue
            others = [*table.options, *(other for other in table.variants if other != name)]
            where: KeyPath = (*SWEEP, "variants", name, place)
            if others:
                yield Problem(
                    where,
                    f'"{variant.name}" runs on another engine or build, where "{others[0]}" would have to be set too; '
                    "sweep such a variant over [sweep.axes] alone",
                )
            if experiment.tool not in tools_of(variant.engine or experiment.engine.name):
                yield Problem(
                    (*where, "engine"), f'"{variant.engine}" is not driven by {experiment.tool}; take another engine'
                )


def _every_value_stays(table: SweepTable, of: int) -> Iterator[Problem]:
    """A fraction that leaves a value out altogether answers another question."""
    lists: dict[str, list[str]] = {name: list(map(str, values)) for name, values in table.options.items()}
    lists |= {name: list(map(str, values)) for name, values in table.axes.items()}
    lists |= {name: [variant.name for variant in listed] for name, listed in table.variants.items()}
    thinned = {name: values for name, values in lists.items() if name != table.rival}
    if not thinned:
        yield Problem((*SWEEP, "fraction"), "has no factor beside the rival to thin out; take it out")
    lost = lost_value([len(values) for values in thinned.values()], of)
    if lost is not None:
        name = list(thinned)[lost[0]]
        yield Problem(
            (*SWEEP, "fraction"),
            f'"1/{of}" of the cells leaves out {name} = {thinned[name][lost[1]]}; take a larger part, or list as many '
            "values of at least two factors beside the rival",
        )


def _options_are_set_once(catalogue: Catalogue, engine: str, table: SweepTable) -> Iterator[Problem]:
    """Two factors that set one option could not be told apart."""
    try:
        owners = Counter(catalogue.option(name).name for name in table.options)
        for listed in table.variants.values():
            here = [variant for variant in listed if not variant.runs_elsewhere(engine)]
            owners.update({catalogue.option(option).name for variant in here for option in variant.values})
    except UsageError:
        return  # an unknown option was told already
    for option in sorted(name for name, count in owners.items() if count > 1):
        yield Problem((*SWEEP, "variants"), f'"{option}" is set by two factors of the sweep; leave it to one of them')
