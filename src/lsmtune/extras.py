"""The libraries that a core install leaves out, and the one sentence where one is missing."""

from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType

from lsmtune.errors import MissingLibraryError

EXTRAS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "analysis": ("joblib", "numba", "pandas", "pyarrow", "shap", "sklearn", "statsmodels"),
        "hosts": ("cryptography", "distributed"),
        "nni": ("yaml",),
        "outside": ("cocoex",),
        "report": ("jinja2", "markupsafe", "matplotlib", "plotly"),
        "samplers": ("cmaes", "optuna"),
        "smac": ("ConfigSpace", "smac"),
        "watch": ("starlette", "uvicorn"),
    }
)
"""What each extra of pyproject.toml brings, by the names that are imported."""

_DISTRIBUTIONS: Mapping[str, str] = MappingProxyType(
    {"cocoex": "coco-experiment", "sklearn": "scikit-learn", "yaml": "PyYAML"}
)
"""A library by the name that it is installed under, where that is another one."""


def need(asker: str, *libraries: str) -> None:
    """Refuse to go on where a library of an extra is missing; called before it is imported, and before any work.

    Args:
        asker: who needs them, as the sentence begins: "lsmtune report".
        libraries: by the names in `EXTRAS`. None is imported here.

    Raises:
        MissingLibraryError: one of them is not installed.
    """
    for library in libraries:
        if not _is_installed(library):
            raise missing(asker, library)


def missing(asker: str, library: str) -> MissingLibraryError:
    """Return the error that says what is missing and how to install it.

    Raises:
        KeyError: no extra brings the library.
    """
    extra = extra_of(library)
    if extra is None:
        raise KeyError(library)
    name = _DISTRIBUTIONS.get(library, library)
    return MissingLibraryError(f"{asker} needs {name}, which is not installed: pip install 'lsmtune[{extra}]'")


def extra_of(library: str) -> str | None:
    """Return the extra that brings a library; None where none does."""
    return next((extra for extra, brought in EXTRAS.items() if library in brought), None)


def _is_installed(library: str) -> bool:
    try:
        return find_spec(library) is not None
    except (ImportError, ValueError):  # a finder refuses it, or what was loaded under its name is no module
        return False
