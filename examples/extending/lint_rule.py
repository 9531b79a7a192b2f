"""A rule of the linter of one's own: a result that changes many options is hard to review."""

import sys

import lsmtune
from lsmtune.lint import Finding, Rule

_MOST = 5

MANY_CHANGES = Rule(
    code="many-changes",
    looks_at="How many options the result of a study changes.",
    threshold=f"Above {_MOST}: a reviewer reads about so many changes with care.",
    why="A change that nobody has looked at stays in the configuration for years.",
    next="Raise the budget, so that backward elimination can revert what has no effect.",
)


def many_changes(changes: int) -> Finding | None:
    """Judge whether a result changes more than a reviewer reads; None where it does not."""
    if changes <= _MOST:
        return None
    return MANY_CHANGES.says(f"the result changes {changes} options; above {_MOST} few are looked at", "result")


def main(folder: str) -> None:
    """Judge the result of a study, and one with twice the limit."""
    changes = len(lsmtune.load(folder).result.changes)
    print(many_changes(changes) or f"{MANY_CHANGES.code}: nothing found, {changes} options changed")
    print(many_changes(2 * _MOST))


if __name__ == "__main__":
    main(sys.argv[1])
