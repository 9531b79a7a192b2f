"""An experiment with another sampler than its file names."""

from typing import get_args

from lsmtune.backends import findings
from lsmtune.errors import UsageError
from lsmtune.experiment._checks import CHECKS
from lsmtune.experiment._experiment import Experiment
from lsmtune.experiment._tables import SearchTable


def searching_with(experiment: Experiment, sampler: str) -> Experiment:
    """Return the experiment with another sampler; what would be wrong if its file named that one is wrong here, too.

    Raises:
        UsageError: there is no such sampler, or it does not go with the rest of the experiment.
    """
    known = get_args(SearchTable.model_fields["sampler"].annotation)
    if sampler not in known:
        raise UsageError(f'--sampler: "{sampler}" is not a sampler; choose one of {", ".join(known)}')
    changed = experiment.model_copy(update={"search": experiment.search.model_copy(update={"sampler": sampler})})
    for problem in findings(changed, CHECKS, frozenset()):
        raise UsageError(f"with --sampler {sampler}: {problem}")
    return changed
