"""Results as words, cards, tables, pictures and JSON. Everything here takes values; nothing queries or measures."""

from lsmtune.report._doctor import DoctorFacts, doctor_advice, doctor_card
from lsmtune.report._figure import card_svg
from lsmtune.report._json import doctor_json, tune_json
from lsmtune.report._lists import runs_table, trials_table
from lsmtune.report._live import LiveView, Tally, ended_text, tally
from lsmtune.report._sample import sample_card, sample_json
from lsmtune.report._states import State, state_of
from lsmtune.report._terminal import tune_card
from lsmtune.report._words import next_step, verdict_sentence

__all__ = [
    "DoctorFacts",
    "LiveView",
    "State",
    "Tally",
    "card_svg",
    "doctor_advice",
    "doctor_card",
    "doctor_json",
    "ended_text",
    "next_step",
    "runs_table",
    "sample_card",
    "sample_json",
    "state_of",
    "tally",
    "trials_table",
    "tune_card",
    "tune_json",
    "verdict_sentence",
]
