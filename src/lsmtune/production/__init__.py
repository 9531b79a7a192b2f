"""From a service's LOG and back to it: reading what it runs and what happened there."""

from lsmtune.production._card import diagnosis_card, diagnosis_json
from lsmtune.production._defaults import defaults_of
from lsmtune.production._reader import read_service
from lsmtune.production._service_log import (
    FamilyStats,
    LevelRow,
    Moment,
    Opening,
    ServiceLog,
    StallKind,
    StatsDump,
    Unread,
)

__all__ = [
    "FamilyStats",
    "LevelRow",
    "Moment",
    "Opening",
    "ServiceLog",
    "StallKind",
    "StatsDump",
    "Unread",
    "defaults_of",
    "diagnosis_card",
    "diagnosis_json",
    "read_service",
]
