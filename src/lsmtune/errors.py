"""Every error that lsmtune raises on purpose.

    LsmtuneError                 exit code 1: the work could not be done
    +-- UsageError               exit code 2: what the user wrote cannot be meant
    |   +-- ExperimentError      a wrong key or value in an experiment file
    |   +-- OptionError          an unknown option, or a value that it cannot take
    |   +-- ConstraintError      a relation over options that does not hold or does not parse
    |   +-- QuantityError        a size, a time or a scale that does not parse
    |   +-- MissingLibraryError  a library of an extra is not installed
    |   +-- BudgetError          a budget that does not hold the least of what is asked
    +-- EngineError              an engine binary is missing, broken or refuses to open
    |   +-- StartError           the system does not start a program, whatever it is to do
    +-- BuildError               a program could not be built from source
    +-- StudyError               a study folder cannot be used
    |   +-- StudyBusyError       another process works on the study
    |   +-- StudyCorruptError    the study's database is damaged
    |   +-- StudyVersionError    the study was written by a newer lsmtune
    +-- RunError                 a run could not be started or finished
    |   +-- HostLostError        the host of a run left before it answered
    |   +-- RunSpoiledError      what is wrong with the host, and not with a configuration, lets no run end
    +-- SamplerError             a sampler cannot propose a configuration
    +-- StatisticsError          too few or unusable numbers for an estimate
    +-- ExportError              a configuration cannot be written in a format

A message is one sentence that names the place, the value and the next step.
The exit code is chosen in `lsmtune.cli`, nowhere else.
"""


class LsmtuneError(Exception):
    """Root of all errors that lsmtune raises on purpose."""


class UsageError(LsmtuneError):
    """What the user asked for cannot be meant."""


class ExperimentError(UsageError):
    """An experiment file has a wrong key or value; the message names file, line and key."""


class OptionError(UsageError):
    """An option is unknown, or cannot take the value."""


class ConstraintError(UsageError):
    """A relation over options is broken or cannot be read."""


class QuantityError(UsageError):
    """A size, a time, a count or a scale cannot be read."""


class MissingLibraryError(UsageError):
    """What was asked for needs a library of an extra, which is not installed."""


class BudgetError(UsageError):
    """A budget does not hold the least that a study takes.

    Attributes:
        scale: one with which it would, as an experiment file says it; empty where none is known.
        num: a number of keys with which it would, in the same way.
    """

    def __init__(self, message: str, *, scale: str = "", num: str = "") -> None:
        """`message` names `scale` and `num`."""
        super().__init__(message)
        self.scale = scale
        self.num = num


class EngineError(LsmtuneError):
    """An engine binary is missing, broken, or refuses what it was given."""


class StartError(EngineError):
    """The system does not start a program, whatever it is to do: it is there no more, or is being written anew."""


class BuildError(LsmtuneError):
    """A program could not be built from source on this machine."""


class StudyError(LsmtuneError):
    """A study folder cannot be used."""


class StudyBusyError(StudyError):
    """Another process works on the study."""


class StudyCorruptError(StudyError):
    """The study's database is damaged."""


class StudyVersionError(StudyError):
    """The study was written by a newer lsmtune."""


class RunError(LsmtuneError):
    """A run could not be started or finished."""


class HostLostError(RunError):
    """The host of a run left before it answered; the run is made again."""


class RunSpoiledError(RunError):
    """A run was spoiled each time that it was made, so that no other would end; it is made again at the next start."""


class SamplerError(LsmtuneError):
    """A sampler cannot propose a configuration."""


class StatisticsError(LsmtuneError):
    """Too few or unusable numbers for an estimate."""


class ExportError(LsmtuneError):
    """A configuration cannot be written in the asked format."""


class LsmtuneWarning(UserWarning):
    """Something that was done has a doubt, or a part of it could not be done; the command line prints it."""
