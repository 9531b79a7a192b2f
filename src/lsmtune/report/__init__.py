"""Results as words, cards, tables, pictures and JSON. Everything here takes values; nothing queries or measures."""

from lsmtune.report._about import bullets
from lsmtune.report._analysis import analysis_card
from lsmtune.report._analysis_figures import FIGURE_STYLE, analysis_figures
from lsmtune.report._analysis_json import analysis_json
from lsmtune.report._benchstat import benchstat_text
from lsmtune.report._doctor import DoctorFacts, ProgramNoise, doctor_advice, doctor_card
from lsmtune.report._figure import card_svg, figure_svg
from lsmtune.report._host_table import disturbance_signs, hosts_note, hosts_part
from lsmtune.report._hosts_examined import hosts_card, hosts_json
from lsmtune.report._json import doctor_json, tune_json
from lsmtune.report._lists import runs_json, runs_table, trials_table
from lsmtune.report._live import LiveView, Tally, ended_text, tally
from lsmtune.report._live_console import ConsoleView, ProgressConsole
from lsmtune.report._live_notebook import NotebookView, cell_display
from lsmtune.report._memory import memory_card, memory_json
from lsmtune.report._plain import plain
from lsmtune.report._prediction import (
    calibration_card,
    calibration_json,
    curve_card,
    curve_json,
    prediction_card,
    prediction_json,
)
from lsmtune.report._rankings import leaders_sentence, rankings_json, rankings_view
from lsmtune.report._sample import sample_card, sample_json
from lsmtune.report._states import State, state_of
from lsmtune.report._sweep import sweep_card, sweep_json, usual_indicators
from lsmtune.report._tables import plain_table, section
from lsmtune.report._terminal import tune_card
from lsmtune.report._timeline import timeline_card, timeline_figure, timeline_json
from lsmtune.report._values import (
    format_indicator,
    format_option,
    label,
    percent,
    ratio_text,
    with_interval,
)
from lsmtune.report._words import next_step, search_end_sentence, verdict_sentence

__all__ = [
    "FIGURE_STYLE",
    "ConsoleView",
    "DoctorFacts",
    "LiveView",
    "NotebookView",
    "ProgramNoise",
    "ProgressConsole",
    "State",
    "Tally",
    "analysis_card",
    "analysis_figures",
    "analysis_json",
    "benchstat_text",
    "bullets",
    "calibration_card",
    "calibration_json",
    "card_svg",
    "cell_display",
    "curve_card",
    "curve_json",
    "disturbance_signs",
    "doctor_advice",
    "doctor_card",
    "doctor_json",
    "ended_text",
    "figure_svg",
    "format_indicator",
    "format_option",
    "hosts_card",
    "hosts_json",
    "hosts_note",
    "hosts_part",
    "label",
    "leaders_sentence",
    "memory_card",
    "memory_json",
    "next_step",
    "percent",
    "plain",
    "plain_table",
    "prediction_card",
    "prediction_json",
    "rankings_json",
    "rankings_view",
    "ratio_text",
    "runs_json",
    "runs_table",
    "sample_card",
    "sample_json",
    "search_end_sentence",
    "section",
    "state_of",
    "sweep_card",
    "sweep_json",
    "tally",
    "timeline_card",
    "timeline_figure",
    "timeline_json",
    "trials_table",
    "tune_card",
    "tune_json",
    "usual_indicators",
    "verdict_sentence",
    "with_interval",
]
