"""Compiling with numba, in one place.

What takes long is not to compile a function but to optimise it: numba does that again for each function that calls it,
and for each that calls those. So only the few `entry` functions can be called from Python and are kept on disk, with
all that they call; the `compiled` ones exist within them alone, count no references to arrays and check no division.
"""

import logging
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, wraps
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import njit
from numba.core.codegen import JITCodeLibrary
from numba.core.registry import cpu_target
from numba.core.types import unliteral

_without_literals: Callable[[Any], Any] = unliteral
_F = TypeVar("_F", bound=Callable[..., Any])
_LOG = logging.getLogger(__name__)
_WITHIN: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "_nrt": False,
}
"""Options of functions that exist within compiled code alone."""


def entry(function: _F) -> _F:
    """Return a function that Python calls, as numba compiles it at its first call; it runs without the global lock.

    What was compiled is kept for later processes in the first folder of these that can be written: the one that
    NUMBA_CACHE_DIR names, the code's own, the user's cache; by the text of all files of this package, as functions are
    kept with what they call. Where none can be, each process compiles anew.
    """
    folder = _folder()
    if folder is None:
        made = njit(nogil=True, error_model="numpy")(function)
    else:
        with _replaced(numba.config, "CACHE_DIR", str(folder)):
            made = njit(cache=True, nogil=True, error_model="numpy")(function)

    @wraps(function)
    def call(*arguments: Any) -> Any:
        if not made.overloads and not is_kept(call):
            _say()
        return made(*arguments)

    call.kept_at = made.stats.cache_path  # type: ignore[attr-defined]
    return cast("_F", call)


def compiled(function: _F) -> _F:
    """Return a function that other compiled ones call; it makes no arrays, and Python cannot call it."""
    made = njit(**_WITHIN)(function)
    chosen, translate = made.get_call_template, made.compile

    def compile_within(signature: Any) -> Any:
        with _only_translating():
            return translate(signature)

    made.compile = compile_within
    # One version for all numbers of a type, none for each literal.
    made.get_call_template = lambda args, kws: chosen([_without_literals(each) for each in args], kws)
    return cast("_F", made)


@cache
def _say() -> None:
    """Say, once in a process, what is going to take so long."""
    _LOG.info("compiling the model of the engine, once for this installation: about 15 s")


@cache
def _folder() -> Path | None:
    """Return where compiled code of these sources is kept; None where no folder can be written."""
    here = Path(__file__).parent
    digest = sha256(numba.__version__.encode())
    for source in sorted(here.rglob("*.py")):
        digest.update(source.read_bytes())
    name = f"compiled-{digest.hexdigest()[:16]}"
    told = getattr(numba.config, "CACHE_DIR", "")
    places = [*([Path(told)] if told else []), here / "__pycache__"]
    with suppress(RuntimeError):  # there is no home
        places.append(Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "lsmtune")
    for place in places:
        folder = place / name
        is_new = not folder.is_dir()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            if is_new and place.parent == here:
                _forget_others(folder)
            return folder
    return None


def _forget_others(folder: Path) -> None:
    """Remove what was compiled of earlier sources of this installation."""
    for other in folder.parent.glob("compiled-*"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)


@contextmanager
def _only_translating() -> Iterator[None]:
    """Let functions be translated into LLVM's language meanwhile, and neither be optimised nor become machine code.

    Both happen once, in the `entry` that they are linked into; numba would do it for each with all that it calls. The
    entry holds the lock of the compiler meanwhile. These are inner parts of numba 0.68; where a version has others, all
    is compiled as ever, only slower.
    """
    codegen = cpu_target.target_context.codegen()
    with ExitStack() as stack:
        stack.enter_context(_replaced(numba.config, "OPT", 0))
        for place, name in ((codegen, "_add_module"), (codegen, "set_env"), (JITCodeLibrary, "_finalize_specific")):
            if hasattr(place, name):
                stack.enter_context(_replaced(place, name, _nothing))
        yield


@contextmanager
def _replaced(place: Any, name: str, value: Any) -> Iterator[None]:
    """Let something of numba be something else meanwhile."""
    before = getattr(place, name)
    setattr(place, name, value)
    try:
        yield
    finally:
        setattr(place, name, before)


def _nothing(*_: object) -> None:
    """Do nothing."""


def is_kept(made: Callable[..., Any]) -> bool:
    """Return whether an `entry` was compiled before, by this process or another."""
    path = getattr(made, "kept_at", None)
    return path is not None and any(Path(path).glob(f"*.{made.__name__}-*.nbi"))
