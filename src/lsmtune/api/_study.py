"""A study folder as an object: what it says, its runs, and what is exported from it."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType

from lsmtune import exporters, report
from lsmtune import study as studies
from lsmtune.analysis import Runs
from lsmtune.api._report_view import check_own, report_view
from lsmtune.backends.registry import backend_of, option_units
from lsmtune.errors import LsmtuneWarning, UsageError
from lsmtune.experiment import competing_factor, recorded_experiment
from lsmtune.extras import EXTRAS, need
from lsmtune.model import EngineBuild, StudyKind, Workload
from lsmtune.report import html
from lsmtune.result import Standing, TuneResult, summarise
from lsmtune.store import read_study, write_file

if TYPE_CHECKING:
    import pandas as pd

_OPEN: Mapping[Standing, str] = {
    Standing.UNDECIDED: "the runs do not tell whether a guard or limit holds for this configuration; tune again with a "
    "larger budget, or write it as it is with --guard-undecided (guard_undecided=True)",
    Standing.UNSTABLE: "this configuration was less stable than the reference and seen in few pairs; tune again with a "
    "larger budget, or write it as it is with --unstable (unstable=True)",
}


@dataclass(frozen=True)
class Study:
    """A study folder, also of a study that another process is working on; everything is read when it is asked for.

    Attributes:
        folder: the study folder.

    All its properties and methods raise `StudyError` where the folder holds no study or cannot be read.

    Examples:
        >>> import lsmtune
        >>> study = lsmtune.load("studies/tune-pruned")
        >>> print(study.verdict)
        Improved: 1.62x the settled throughput of db_bench's default [1.50x, 1.75x at 95 %, adjusted, n = 6 pairs],
        in runs that chose only between it and the winner; 3 options changed.
        >>> for change in study.result.changes:
        ...     print(change.option, change.before, change.after)
        compression_type snappy lz4
        max_write_buffer_number 2 8
        write_buffer_size 67108864 268435456
        >>> str(study.kind), study.to_json()["state"]
        ('tune', 'improved')
    """

    folder: Path

    @property
    def name(self) -> str:
        """The name of the study."""
        with read_study(self.folder) as opened:
            return opened.description.name

    @property
    def kind(self) -> StudyKind:
        """What the study goes through."""
        with read_study(self.folder) as opened:
            return opened.kind

    @property
    def result(self) -> TuneResult:
        """All that the study says so far: verdict, changes, evidence, noise, findings."""
        return self.summary()

    @property
    def verdict(self) -> str:
        """The verdict in a sentence, as the card begins."""
        return report.verdict_sentence(self.result)

    def summary(self, *, leaders: int = 10, finalist: int | None = None) -> TuneResult:
        """Return all that the study says so far.

        Args:
            leaders: how many of the best trials it holds.
            finalist: take this accepted finalist, from 1, instead of what was chosen.

        Raises:
            UsageError: there is no such finalist, or it was not accepted.
        """
        with read_study(self.folder) as opened:
            return summarise(opened, leaders=leaders, take=finalist)

    def runs(self) -> "pd.DataFrame":
        """Return the ended runs, a row each in the order of running; columns as in ``runs.parquet``.

        Runs with less or more data than the study's, and in a comparison of builds those on another build than the
        reference's, are left out.

        They are ``run``, ``purpose``, ``arm``, ``block``, ``status``, ``started_at`` (s since the epoch),
        ``elapsed_s``, ``seed`` and further facts of the run, an ``option.NAME`` for each option that varied, in its
        base unit at full size, and an ``indicator.NAME`` for each indicator, in its base unit (B, s, 1/s), NaN where
        it is unknown.

        Examples:
            >>> import lsmtune
            >>> runs = lsmtune.load("studies/tune-pruned").runs()
            >>> runs.shape
            (115, 30)
            >>> trials = runs[runs["purpose"] == "trial"]
            >>> best = trials["indicator.throughput_settled_ops_s"].idxmax()
            >>> print(runs.loc[best, ["arm", "option.compression_type", "option.write_buffer_size"]].to_string())
            arm                          trial-36
            option.compression_type           lz4
            option.write_buffer_size    268435456
        """
        return self.table().frame

    def table(self) -> Runs:
        """Return the ended runs with what varied over them, as `analyze` takes them; see `runs`."""
        with read_study(self.folder) as opened:
            return studies.runs_of(opened)

    def export(
        self,
        format: str | None = None,  # noqa: A002 - the name of the command's option
        *,
        db_bench: str | Path | None = None,
        finalist: int | None = None,
        guard_undecided: bool = False,
        unstable: bool = False,
    ) -> str:
        """Return the configuration as text, at full size, with the evidence as comments.

        An OPTIONS file is checked by opening a database with it.

        Args:
            format: ``"options-file"``, ``"flags"``, ``"leveldb-cpp"``, ``"ycsb-properties"`` or ``"json"``; left out,
                the one that suits the study best.
            db_bench: the binary that the text is made for; left out, the study's.
            finalist: write this accepted finalist, from 1, as it was verified.
            guard_undecided: write it also where the runs do not tell whether a guard holds.
            unstable: write it also where it was less stable than the reference in few pairs.

        Raises:
            UsageError: the format does not fit, or something is open that was not allowed.
            ExportError: the engine refuses the configuration.

        Examples:
            The parameters of a command of the user's own, as JSON:

            >>> import lsmtune
            >>> print(lsmtune.load("studies/nni-command").export())
            {
              "x": 2.84,
              "mode": "fast"
            }
            <BLANKLINE>
        """
        if format is not None:
            exporters.check_format(format)
        result = self._taken_home(finalist, guard_undecided=guard_undecided, unstable=unstable)
        if not backend_of(result.build).has_workload:
            if format not in (None, "json"):
                raise UsageError(
                    f'the format "{format}" is not for a command of yours; its parameters are written as json'
                )
            from lsmtune.nni import final_parameters

            return final_parameters(result)
        build, workload = _written_for(result, db_bench)
        return exporters.export(format or exporters.default_format(build), result, build, workload)

    def export_for(
        self,
        target: str,
        *,
        db_bench: str | Path | None = None,
        finalist: int | None = None,
        guard_undecided: bool = False,
        unstable: bool = False,
    ) -> str:
        """Return the configuration in the syntax of a system that embeds RocksDB, with the evidence as comments.

        It is the difference from that system's own defaults. What the system lacks, cannot set or decides by itself is
        named in the comments. A database is opened with the configuration first, by the study's engine.

        Args:
            target: ``"kvrocks"`` or, with a version, ``"kafka-streams@4.3"``; docs/how-to/targets.md has all of them.
            db_bench: the binary that checks the configuration; left out, the study's.
            finalist: write this accepted finalist, from 1, as it was verified.
            guard_undecided: write it also where the runs do not tell whether a guard holds.
            unstable: write it also where it was less stable than the reference in few pairs.

        Raises:
            UsageError: there is no such target, the study is not of RocksDB, or something is open that was not allowed.
            ExportError: the engine refuses the configuration.
        """
        exporters.find_target(target)
        result = self._taken_home(finalist, guard_undecided=guard_undecided, unstable=unstable)
        if not backend_of(result.build).has_workload:
            raise UsageError(f'the target "{target}" is not for a command of yours; its parameters are written as json')
        exporters.check_target(target, result.build)
        build, workload = _written_for(result, db_bench)
        return exporters.export_for(target, result, build, workload)

    def _taken_home(self, finalist: int | None, *, guard_undecided: bool, unstable: bool) -> TuneResult:
        """Return what the study says, if nothing is open in it that was not allowed."""
        result = self.summary(finalist=finalist)
        allowed = {Standing.UNDECIDED: guard_undecided, Standing.UNSTABLE: unstable}
        if not allowed.get(result.standing, True):
            raise UsageError(_OPEN[result.standing])
        return result

    def report(self, path: str | Path | None = None, *, lite: bool = False) -> Path:
        """Write the study as one HTML file that loads nothing, and return its path.

        Args:
            path: left out, ``report.html`` in the study folder, or ``report-lite.html``.
            lite: a page without scripts, with still pictures, of at most 500 KB.

        Raises:
            UsageError: it cannot be written there, or would replace a file that is no report.
            LsmtuneError: the disk is full; an earlier report stays as it was.

        Examples:
            >>> import lsmtune
            >>> lsmtune.load("studies/compare").report("page.html", lite=True).name
            'page.html'
        """
        need("lsmtune report", *EXTRAS["report"])
        target = Path(path) if path is not None else self.folder / ("report-lite.html" if lite else "report.html")
        with read_study(self.folder) as opened:
            view = report_view(opened)
        check_own(target)
        write_file(target, (html.lite_report(view) if lite else html.html_report(view)).encode())
        return target

    def figures(self) -> tuple[tuple[str, str], ...]:
        """Return the figures of the report, each as the name of a file and the text of an SVG."""
        need("lsmtune report", *EXTRAS["report"])
        with read_study(self.folder) as opened:
            return tuple(html.report_figures(report_view(opened)))

    def card(self) -> RenderableType:
        """Return the card of the study, for `rich` to print."""
        return self.card_of(self.result)

    def card_of(self, result: TuneResult) -> RenderableType:
        """Return the card of what `summary` has returned."""
        if not result.decisions.plan.has_design:
            return report.tune_card(result, option_units(result.build.engine))
        runs = self.table()
        if result.decisions.plan is not StudyKind.SWEEP:
            card = report.sample_card(runs, self.folder, result.warnings)
        else:
            card = report.sweep_card(runs, report.usual_indicators(runs), _competing(result), result.warnings)
        return card if result.hosts is None else Group(card, report.hosts_part(result.hosts))

    def to_json(self) -> dict[str, Any]:
        """Return what the card says, and more, as values of JSON; the same as ``lsmtune show --json``."""
        return self.json_of(self.result)

    def json_of(self, result: TuneResult) -> dict[str, Any]:
        """Return as values of JSON what `summary` has returned."""
        if not result.decisions.plan.has_design:
            return report.tune_json(result)
        runs = self.table()
        hosts = {} if result.hosts is None else {"hosts": report.plain(result.hosts)}
        if result.decisions.plan is not StudyKind.SWEEP:
            return report.sample_json(runs, result.warnings) | hosts
        return report.sweep_json(runs, report.usual_indicators(runs), _competing(result), result.warnings) | hosts

    def _repr_html_(self) -> str:
        """Return the card as a picture that loads nothing, for notebooks."""
        return report.card_svg(self.card(), title=f"lsmtune: {self.name}")


def _competing(result: TuneResult) -> str | None:
    return competing_factor(recorded_experiment(result.description.experiment))


def load(folder: str | Path) -> Study:
    """Return the study in a folder.

    Raises:
        StudyError: there is none, or it cannot be read.

    Examples:
        >>> import lsmtune
        >>> lsmtune.load("studies/compare").name
        'compare'
        >>> lsmtune.load("studies/nothing")
        Traceback (most recent call last):
            ...
        lsmtune.errors.StudyError: there is no study folder "studies/nothing"; check the path, or
        create it with "lsmtune tune"
    """
    with read_study(Path(folder)) as opened:
        return Study(opened.folder)


def _written_for(result: TuneResult, db_bench: str | Path | None) -> tuple[EngineBuild, Workload | None]:
    """Return the build that an export is checked with, and the workload; warns where it is another build."""
    workload = recorded_experiment(result.description.experiment).workload()
    build = studies.find_again(result.build, None if db_bench is None else Path(db_bench))
    if build.fingerprint != result.build.fingerprint:
        warnings.warn(
            f"the study used another {result.build.tool} ({result.build.version}) than this one "
            f"({build.version}); its gain is not proven for this one",
            LsmtuneWarning,
            stacklevel=3,
        )
    return build, workload
