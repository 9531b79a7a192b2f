"""The notebooks in ``examples`` run from the first cell to the last in a real kernel, and hold no output."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted(path.name for path in (ROOT / "examples").glob("*.ipynb"))


class Watched(NotebookClient):
    """Runs a notebook and keeps what was shown in places whose content is replaced."""

    drawn: list[Mapping[str, str]]

    def process_message(self, msg: dict[str, Any], cell: NotebookNode, cell_index: int) -> NotebookNode | None:
        if msg["content"].get("transient", {}).get("display_id"):
            self.drawn.append(msg["content"]["data"])
        done: NotebookNode | None = super().process_message(msg, cell, cell_index)
        return done


@pytest.fixture
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder beside which the recorded studies lie, as beside ``examples``; Jupyter keeps its files in there."""
    for variable in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))
    (tmp_path / "reproductions").symlink_to(ROOT / "reproductions")
    (tmp_path / "examples").mkdir()
    return tmp_path / "examples"


def read(name: str) -> NotebookNode:
    """Return a notebook as it is stored."""
    notebook: NotebookNode = nbformat.read(ROOT / "examples" / name, as_version=4)  # type: ignore[no-untyped-call] # of nbformat
    return notebook


def executed(name: str, folder: Path) -> Watched:
    """Run all cells of a notebook in a folder; an exception in a cell is raised here."""
    client = Watched(read(name), timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    client.drawn = []
    client.execute()
    return client


def outputs(notebook: NotebookNode, beginning: str) -> list[Any]:
    """Return what the cell left that begins with a text."""
    (cell,) = (cell for cell in notebook.cells if cell.source.startswith(beginning))
    return list(cell.outputs)


def printed(notebook: NotebookNode) -> str:
    """Return all that the cells printed."""
    return "".join(
        out.text for cell in notebook.cells for out in cell.get("outputs", ()) if out.output_type == "stream"
    )


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_valid_and_holds_no_output(name: str) -> None:
    notebook = read(name)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert cells
    assert [(cell.outputs, cell.execution_count) for cell in cells] == [([], None)] * len(cells)


def test_every_notebook_is_run_here() -> None:
    assert NOTEBOOKS == ["read-a-study.ipynb", "tune.ipynb"]


def test_a_tuning_in_a_notebook_shows_a_live_bar_and_then_its_card(examples: Path) -> None:
    done = executed("tune.ipynb", examples)
    drawn = [page["text/plain"] for page in done.drawn]
    assert any("search  run " in page and "best so far" in page for page in drawn)
    (shown,) = outputs(done.nb, "study = lsmtune.tune")
    assert shown.output_type == "display_data"
    assert "search: trials of 3 options" in shown.data["text/html"]
    assert "best so far" not in shown.data["text/html"], "the bar is gone when the study has ended"
    (card,) = next(list(cell.outputs) for cell in done.nb.cells if cell.source == "study")
    assert card.data["text/html"].startswith("<svg")
    assert "Improved" in printed(done.nb)
    assert (examples / "fill.html").is_file()


def test_a_recorded_study_is_read_and_its_options_are_drawn_in_a_notebook(examples: Path) -> None:
    done = executed("read-a-study.ipynb", examples).nb
    matters = printed(done).splitlines()[1:]
    assert "compaction_style" in matters[:3]
    assert "write_buffer_size" in matters
    assert any("image/png" in out.data for out in outputs(done, "import matplotlib"))
