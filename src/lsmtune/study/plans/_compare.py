"""Configurations and builds that the user named against the reference, in fresh interleaved runs."""

from lsmtune.errors import UsageError
from lsmtune.model import Purpose, StudyKind
from lsmtune.result import Decisions, checkpoints
from lsmtune.stats import LOOKS
from lsmtune.study._runner import Runner
from lsmtune.study.plans._stages import measure_baselines
from lsmtune.study.plans._steps import NamedChanges
from lsmtune.study.plans._verification import verify_finalists
from lsmtune.units import plural


def compare_configurations(runner: Runner, settings: NamedChanges) -> None:
    """Run all configurations against the reference, what an earlier process ran excepted.

    Raises:
        RunError: the reference cannot be run.
        UsageError: a configuration breaks a constraint.
        KeyboardInterrupt: stopped; the same call on the reopened study goes on.
    """
    if Decisions.read(runner.study).done:
        runner.listener.note("this comparison has come to its end; a new study folder makes it anew")
        return
    start = runner.rules.start
    for named in settings.changes:
        broken = settings.space_of(named).violations(named.values)
        if broken:
            raise UsageError(f'the configuration "{named.name}" under [[compare]] cannot be: {broken[0]}')
    runner.study.begin(StudyKind.COMPARE)
    runner.study.save(checkpoints.FINALISTS, tuple(named.name for named in settings.changes))
    measure_baselines(runner, settings.noise_runs)
    arms = "1 configuration" if len(settings.changes) == 1 else f"{len(settings.changes)} configurations"
    runner.listener.stage("verify", f"{arms} and the reference, fresh interleaved runs")
    changed = [start.changed(settings.space_of(named).canonical(named.values)) for named in settings.changes]
    first, left = LOOKS[0] * (1 + len(changed)), runner.spending().left
    if left < first and not runner.history.select((Purpose.VERIFY,)):
        held = plural(max(0, int(left)), "further run")
        runner.listener.note(f"the budget holds {held}; a first look takes {first}, which are made all the same")
    verify_finalists(runner, changed, 0.0)
    runner.study.save(checkpoints.DONE, value=True)
