"""The scripts beside the recorded runs, as modules."""

import importlib.util
from pathlib import Path
from types import ModuleType

RECORDED = Path(__file__).parents[2] / "reproductions"


def script(path: Path) -> ModuleType:
    """Return a script as a module; its main part is not run."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
