"""What takes part in a comparison: configurations that the user named, each with the build that it runs on."""

from dataclasses import dataclass

from lsmtune.model import EngineBuild
from lsmtune.result import ArmBuild
from lsmtune.space import Catalogue, Space
from lsmtune.study._steps import NamedChange


@dataclass(frozen=True)
class OtherBuild:
    """Another build of the study's engine, under the reference's configuration.

    Attributes:
        build: the build.
        catalogue: the options that it has.
        space: says what has no effect there, and which relations have to hold.
        kept: what the study keeps of it.
    """

    build: EngineBuild
    catalogue: Catalogue
    space: Space
    kept: ArmBuild


@dataclass(frozen=True)
class Contender:
    """A configuration that is compared with the reference.

    Attributes:
        change: its name, and what it sets on top of the reference; that may be nothing on another build.
        other: the build that it runs on; None where that is the reference's.
    """

    change: NamedChange
    other: OtherBuild | None = None
