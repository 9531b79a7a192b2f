"""What kind of study a folder holds."""

from enum import StrEnum


class StudyKind(StrEnum):
    """What a study goes through; it is settled when the study begins."""

    TUNE = "tune"
    """A search, then verification."""
    STEPS = "steps"
    """An ordered list of changes that the user named, each of which stays if it is shown to be better."""
    COMPARE = "compare"
    """Configurations and builds that the user named, against the reference."""
    SAMPLE = "sample"
    """A design over the options, to learn which of them matter."""
    SWEEP = "sweep"
    """A grid that the user named."""
    REPRODUCE = "reproduce"
    """A published pipeline: a design, and what the paper did with it."""

    @property
    def has_design(self) -> bool:
        """Whether it runs a design, of which no single configuration is judged."""
        return self in (StudyKind.SAMPLE, StudyKind.SWEEP, StudyKind.REPRODUCE)
