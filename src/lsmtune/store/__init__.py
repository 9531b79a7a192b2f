"""The study folder: every run of a study, safe against kills and power loss.

    <study>/study.sqlite                   runs, indicators, decisions; all that is ever queried
    <study>/artefacts/<run id>/<name>.gz   what a run left to read: LOG, OPTIONS, stdout
    <study>/experiment.toml                the experiment as it was when the study was created
    <study>/lock                           held by the one process that works on the study

One process works on a study (`create_study`, `open_study`); any number may read it at the same time (`read_study`).
"""

from lsmtune.store._artefacts import write_whole
from lsmtune.store._changes import ChangeStamp, change_stamp
from lsmtune.store._checkpoint import Checkpoint
from lsmtune.store._database import DATABASE
from lsmtune.store._files import file_errors, write_file
from lsmtune.store._folder import create_study, open_study, read_study
from lsmtune.store._lock import LockHolder, has_lock_open, lock_holder
from lsmtune.store._records import RunOutline, StoredRun, StudyDescription, StudySummary
from lsmtune.store._study import Study

__all__ = [
    "DATABASE",
    "ChangeStamp",
    "Checkpoint",
    "LockHolder",
    "RunOutline",
    "StoredRun",
    "Study",
    "StudyDescription",
    "StudySummary",
    "change_stamp",
    "create_study",
    "file_errors",
    "has_lock_open",
    "lock_holder",
    "open_study",
    "read_study",
    "write_file",
    "write_whole",
]
