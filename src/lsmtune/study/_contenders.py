"""What runs beside the reference on a build of its own: contenders of a comparison, columns of a sweep."""

from dataclasses import dataclass

from lsmtune.experiment import NamedChange
from lsmtune.model import Configuration, EngineBuild
from lsmtune.result import ArmBuild
from lsmtune.space import Catalogue, Space


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


@dataclass(frozen=True)
class Column:
    """A variant of a sweep that runs on another engine, or on another build of the same.

    Attributes:
        factor: the factor that it is a value of, ``variant.<name in the file>``.
        build: what it runs on.
        catalogue: the options that the build has.
        configuration: what is set there.
        kept: what the study keeps of it; its name is the variant's.
    """

    factor: str
    build: EngineBuild
    catalogue: Catalogue
    configuration: Configuration
    kept: ArmBuild
