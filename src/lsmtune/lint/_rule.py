"""A rule of the linter, and what it finds."""

import re
from dataclasses import dataclass
from typing import TypedDict

from lsmtune.errors import UsageError

_CODE = re.compile(r"[a-z]+(-[a-z]+)+")


class FindingJson(TypedDict):
    """A finding as JSON: `about` is None where it is the study as a whole, `next` the next step of its rule."""

    code: str
    about: str | None
    sentence: str
    next: str


@dataclass(frozen=True)
class Rule:
    """Something that makes measurements doubtful, declared once.

    Attributes:
        code: its name in kebab case; never changes, so that programs can rely on it.
        looks_at: what it compares.
        threshold: from where on it speaks, and why from there.
        why: what goes wrong where it speaks.
        next: what to do about it, an imperative sentence.
        before: a regular expression that finds, at their beginning, the sentences of this rule in studies that were
            made before sentences carried codes; what it matches is left out of the sentence. Empty where there are
            none.
        qualifies: what an improvement holds for where it speaks, as it is put behind "improved": ``"on data that fits
            the memtables"``. Such a finding takes the meaning from a result, and a trial with it becomes no finalist
            unless the reference has it too. Empty where a result keeps its meaning.

    Raises:
        UsageError: the code is not in kebab case, or a text is empty.
    """

    code: str
    looks_at: str
    threshold: str
    why: str
    next: str
    before: str = ""
    qualifies: str = ""

    def __post_init__(self) -> None:
        if not _CODE.fullmatch(self.code):
            raise UsageError(f'the code "{self.code}" of a rule is not in kebab case; write it like "too-short"')
        for field in ("looks_at", "threshold", "why", "next"):
            if not getattr(self, field).strip():
                raise UsageError(f'rule "{self.code}" has no {field}; write a sentence')

    def says(self, sentence: str, about: str = "") -> "Finding":
        """Return a finding of this rule."""
        return Finding(self, sentence, about)


@dataclass(frozen=True)
class Finding:
    """What a rule says of a study.

    Attributes:
        rule: the rule.
        sentence: with the values that were compared.
        about: ``"reference"``, ``"result"``, ``"reference and result"``; empty where it is the study, or a run by
            itself.
    """

    rule: Rule
    sentence: str
    about: str = ""

    def __str__(self) -> str:
        """The line that people read, and that a measurement is stored with: code, what it is about, sentence."""
        return ": ".join(part for part in (self.rule.code, self.about, self.sentence) if part)

    def to_json(self) -> FindingJson:
        """Return it for programs."""
        return {
            "code": self.rule.code,
            "about": self.about or None,
            "sentence": self.sentence,
            "next": self.rule.next,
        }
