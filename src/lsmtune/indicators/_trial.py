"""Indicators of a user's own trial command."""

from lsmtune.indicators._indicator import Better, Indicator


def _result(name: str, better: Better, mode: str) -> Indicator:
    return Indicator(
        name=name,
        unit="number",
        better=better,
        summary=f"What a trial command reports, where {'more' if better == 'higher' else 'less'} of it is better.",
        formula="the final result, in whatever unit the trial reports; it has to be above 0, as gains are ratios",
        source=f"lsmtune nni: nni.report_final_result of a trial with optimize_mode {mode}",
        includes="Whatever the trial counts.",
        leaves_out="Intermediate results, which are kept and shown but not judged; every tool but lsmtune nni.",
    )


TRIAL: tuple[Indicator, ...] = (
    _result("trial_score", "higher", "maximize"),
    _result("trial_loss", "lower", "minimize"),
)
"""The result of a trial, in either direction."""
