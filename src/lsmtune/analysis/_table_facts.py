"""What a table of runs says of its study, in the words in which it is stored."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from lsmtune.codec import MisreadError, Object, mapped, member, scalar, text
from lsmtune.experiment import Experiment, recorded_experiment
from lsmtune.model import StudyKind, Value

_UNKNOWN = "?"


@dataclass(frozen=True)
class TableFacts:
    """What to know of the study that a table of runs is of.

    Attributes:
        name: of the study.
        engine: name of the engine.
        version: of the engine.
        build: fingerprint of the build.
        assertions: whether the build checks assertions.
        host: the machine in words.
        cores: that its runs may use.
        scale: the factor by which data and tree shrink.
        keys: number of keys at that scale; None where a command of the user's own has none.
        reference: name of the arm that all is compared with.
        created: when the study was, ISO 8601.
        lsmtune: the version that made it.
        experiment: the text of the experiment file.
        reference_values: value of every option in the reference, in base units at full size.
        kind: of the study; None in tables of older versions.
        elsewhere: engine and version of each variant of a sweep that did not run on the build of the study.
        options_file: text of the OPTIONS file that the reference starts from; None: there is none, or the table is of
            an older version.
    """

    name: str
    engine: str
    version: str
    build: str
    assertions: bool
    host: str
    cores: int
    scale: Fraction
    keys: int | None
    reference: str
    created: str
    lsmtune: str
    experiment: str
    reference_values: Mapping[str, Value]
    kind: StudyKind | None = None
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    options_file: str | None = None

    @property
    def asked(self) -> Experiment:
        """What the experiment asked for.

        Raises:
            UsageError: it is one of a command of the user's own, which has no workload.
        """
        return recorded_experiment(self.experiment)

    @classmethod
    def from_words(cls, words: Mapping[str, str]) -> "TableFacts":
        """Return what `words` wrote, now or in an older version.

        Raises:
            MisreadError: something is missing or cannot be meant.
        """
        fields = Object(words)
        engine, _, version = fields.need("engine", text).partition(" ")
        keys = fields.need("keys", text)
        try:
            return cls(
                name=fields.need("name", text),
                engine=engine,
                version=version,
                build=fields.need("build", text),
                assertions=fields.need("assertions", text) == str(True),
                host=fields.need("host", text),
                cores=int(fields.need("cores", text)),
                scale=Fraction(fields.need("scale", text)),
                keys=None if keys == _UNKNOWN else int(keys),
                reference=fields.need("reference", text),
                created=fields.need("created", text),
                lsmtune=fields.need("lsmtune", text),
                experiment=fields.need("experiment", text),
                reference_values=mapped(scalar)(json.loads(fields.need("reference_values", text))),
                kind=fields.get("kind", member(StudyKind), None),
                elsewhere=mapped(text)(json.loads(fields.get("elsewhere", text, "{}"))),
                options_file=fields.get("options_file", text, None),
            )
        except (ValueError, ZeroDivisionError) as error:
            raise error if isinstance(error, MisreadError) else MisreadError(f"is wrong: {error}") from None

    def words(self) -> dict[str, str]:
        """Return them as texts by name."""
        return {
            "name": self.name,
            **({} if self.kind is None else {"kind": str(self.kind)}),
            "engine": f"{self.engine} {self.version}",
            "build": self.build,
            "assertions": str(self.assertions),
            "host": self.host,
            "cores": str(self.cores),
            "scale": str(self.scale),
            "keys": _UNKNOWN if self.keys is None else str(self.keys),
            "reference": self.reference,
            "created": self.created,
            "lsmtune": self.lsmtune,
            "experiment": self.experiment,
            "reference_values": json.dumps(dict(self.reference_values)),
            **({"elsewhere": json.dumps(dict(self.elsewhere))} if self.elsewhere else {}),
            **({} if self.options_file is None else {"options_file": self.options_file}),
        }
