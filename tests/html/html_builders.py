"""Studies of the fake engine and their pages, taken apart."""

from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path

from lsmtune.cli.report import report
from lsmtune.experiment import NamedChange
from lsmtune.store import create_study
from lsmtune.study import Budget, SampleSettings
from lsmtune.testing import FakePlan, Fault, Surface, fake_description, fake_rules, fake_space, fake_study

HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
"""A name that would run a script, were it not escaped."""
_VOID = frozenset({"meta", "br", "img", "input", "link"})


@dataclass
class Page(HTMLParser):
    """A page, taken apart by Python's parser: elements with their attributes, and the text outside of scripts."""

    source: str
    elements: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    text: str = ""
    _open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in _VOID:
            self._open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        where = self._open[-1] if self._open else ""
        if where == "script":
            self.scripts[-1] += data
        elif where != "style":
            self.text += data

    @property
    def words(self) -> str:
        """The text with single spaces."""
        return " ".join(self.text.split())

    def count(self, tag: str) -> int:
        """Return the number of elements with a tag."""
        return sum(name == tag for name, _ in self.elements)

    @property
    def policy(self) -> dict[str, str]:
        """The content security policy by directive."""
        (content,) = (
            its["content"] for tag, its in self.elements if its.get("http-equiv") == "Content-Security-Policy"
        )
        return dict(part.strip().split(" ", 1) for part in content.split(";"))


def page_of(folder: Path, *, lite: bool = False, figures: Path | None = None) -> Page:
    """Write the report of a study beside it, and its figures into a folder where one is named, and take it apart."""
    path = folder.parent / f"{folder.name}{'-lite' if lite else ''}.html"
    report(folder, path, lite=lite, figures=figures)
    return Page(path.read_text())


def tuned(folder: Path, plan: FakePlan | None = None) -> Path:
    """Tune the fake engine, some of whose options matter."""
    with fake_study(folder, plan or FakePlan(Budget(None, 120), Surface(0.8))) as study:
        study.tune()
    return folder


def sampled(folder: Path) -> Path:
    """Sample the fake engine, with runs that fail, are stopped and are disturbed."""
    faults = {9: Fault.FAIL, 11: Fault.CENSOR, 13: Fault.DISTURB}
    settings = SampleSettings(fake_space(), "sobol", 32, 6, 3, 3, anchor_every=5, noise_runs=3, seed=7)
    plan = FakePlan(Budget(None, 1000), Surface(0.4), faults=lambda run: faults.get(run.id))
    with fake_study(folder, plan) as study:
        study.sample(settings)
    return folder


def stepped(folder: Path, *names: str) -> Path:
    """Tune the fake engine by steps with some names, each of which sets an option that helps."""
    values = ({"write_buffer_size": 256 << 20}, {"max_background_jobs": 6}, {"block_size": 8192})
    steps = [NamedChange(name, f"because of {name}", value) for name, value in zip(names, values, strict=False)]
    with fake_study(folder, FakePlan(Budget(None, 200), Surface(0.6))) as study:
        study.tune_by_steps(*steps)
    return folder


def described(folder: Path, name: str = "fake", experiment: str = "") -> Path:
    """Make an empty study with a name and an experiment file."""
    description = fake_description(fake_rules(), fake_space())
    changed = replace(description, name=name, experiment=experiment or description.experiment)
    create_study(folder, changed).close()
    return folder
