"""Compiling kernels: the one decorator, where compiled code is kept, and what happens when the keep is broken.

Numba's disk cache is blind to edits in files that a kernel calls (numba#1833), raises EOFError on a truncated file
(numba#10434) and has no place in a read-only install (numba#4908). So the folder is named by a hash of the sources that
kernels are made of, every fault of the cache means "compile again", and a private temporary folder stands in where none
is writable.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config
from numba.core.caching import FunctionCache

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).resolve().parents[1]
# Kernels live in these folders and take nothing from elsewhere in the package, nor from folders for analysis below them.
KERNEL_FOLDERS = ("core", "games", "policies")


def kernel_sources() -> list[Path]:
    """Return the source files that a kernel may be made of."""
    found = (path for folder in KERNEL_FOLDERS for path in (_PACKAGE / folder).rglob("*.py"))
    return sorted(path for path in found if "analysis" not in path.relative_to(_PACKAGE).parts)


def sources_hash() -> str:
    """Return 16 hex digits that change with any source file that a kernel may be made of."""
    digest = hashlib.sha256()
    for path in kernel_sources():
        digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def cache_folder() -> str:
    """Return the folder for compiled kernels of these sources; a private temporary one where none can be written."""
    from platformdirs import user_cache_path

    base = os.environ.get("VEGGIES_SIM_CACHE")
    folder = (Path(base) if base else user_cache_path("veggies_sim")) / sources_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return str(folder)
    except OSError as error:
        what = f"compiled kernels can't be kept in {folder.parent} ({error.strerror}); set VEGGIES_SIM_CACHE to another folder"
        print(f"veggies-sim: {what}", file=sys.stderr)
        private = tempfile.mkdtemp(prefix="veggies_sim-")  # mode 0700: nobody else can plant compiled code in it
        atexit.register(shutil.rmtree, private, ignore_errors=True)
        os.environ["VEGGIES_SIM_CACHE"] = private  # for the workers that this process starts
        folder = Path(private) / sources_hash()
        folder.mkdir()
        return str(folder)


class _Cache(FunctionCache):
    """Numba's cache of one kernel, except that a broken or unwritable file costs a compilation instead of the run."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            found = super().load_overload(sig, target_context)
        except Exception:  # any fault of a cache file has the same cure
            self._forget()
            found = None
        if found is None:
            _announce()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception:  # a full disk or a broken index: run uncached
            self._forget()

    def _forget(self) -> None:
        for path in Path(self._cache_path).glob(f"{self._impl.filename_base}.*"):
            path.unlink(missing_ok=True)


@functools.cache
def _announce() -> None:
    print("veggies-sim: compiling the kernels (first run only, some seconds) ...", file=sys.stderr, flush=True)


def inline(function: F) -> F:
    """Merge a small helper into the kernels that call it: each array passed to a real call costs five arguments or more.

    For helpers inside of hot loops only; every caller compiles its own copy.
    """
    if config.DISABLE_JIT:
        return function
    return numba.njit(nogil=True, error_model="numpy", inline="always")(function)


def inner(function: F) -> F:
    """Compile a function that only kernels call: quicker to compile than with `njit`, but not to be called from Python."""
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def njit(function: F) -> F:
    """Compile `function` without the GIL, lazily, and keep the result on disk. Plain Python when the JIT is off.

    Kernels are serial: `parallel=True` inside threads aborts the process (numba#8563), so games run in parallel outside.
    """
    return _compile(function)


def _compile(function: F, **options: bool) -> F:
    if config.DISABLE_JIT:
        return function
    kernel = numba.njit(nogil=True, error_model="numpy", **options)(function)
    before = config.CACHE_DIR
    config.CACHE_DIR = cache_folder()
    try:
        kernel._cache = _Cache(kernel.py_func)
    finally:
        config.CACHE_DIR = before
    return kernel
