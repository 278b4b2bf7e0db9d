"""Files and folders that we write: what is wrong with a place, locks, and nothing half done after a failure."""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import socket
import stat
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from veggies_sim.core.errors import InputError, RunFailed

LOCK = ".lock"
# What no other path or argument would mend: a full or broken disk.
_OURS = {errno.ENOSPC, errno.EFBIG, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC)}


@contextmanager
def file_errors(path: Path, deed: str = "written", advice: str = "Give another place.") -> Iterator[None]:
    """Turn an OSError into InputError, or into RunFailed where the disk is full or broken."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error).split("\n")[0]
        if error.errno in _OURS:
            raise RunFailed(f"{path}: can't be {deed} ({reason}). Make room, then do it again.") from None
        raise InputError(f"{path}: can't be {deed} ({reason}). {advice}") from None


def read_bytes(path: Path, most: int, what: str, advice: str = "Give another file.") -> bytes:
    """Return what is in a file of others. Raises InputError for a larger one than `what` can be, and for pipes and devices.

    A pipe would be waited for, perhaps for ever.
    """
    with file_errors(path, "read", advice):
        if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            raise InputError(f"{path}: a pipe or a device, no regular file. {advice}")
        with path.open("rb") as stream:
            raw = stream.read(most + 1)
    if len(raw) > most:
        raise InputError(f"{path}: more than {most:,} bytes; {what} is smaller. {advice}")
    return raw


def check_new_file(path: Path, endings: Collection[str], what: str) -> None:
    """Raise InputError for a file that can't be written, before hours of work: its ending or its place.

    The file is made and removed again, with the folders it needs.
    """
    if path.suffix.lower().removeprefix(".") not in endings:
        *most, last = (f".{ending}" for ending in endings)
        valid = f"{', '.join(most)} or {last}" if most else last
        raise InputError(f"{path}: found the ending {path.suffix!r}; {what} is {valid}.")
    with file_errors(path, advice="Give another file."):
        if path.exists():
            raise InputError(f"{path}: can't be written (it exists already). Give another file.")
        new = [folder for folder in path.absolute().parents if not folder.exists()]
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(exist_ok=False)
            path.unlink()
        finally:
            for folder in new:
                with suppress(OSError):
                    folder.rmdir()


@contextmanager
def undone(paths: Iterable[Path]) -> Iterator[None]:
    """Remove those of `paths` that were not there before, should anything fail inside."""
    new = [path for path in paths if not os.path.lexists(path)]
    try:
        yield
    except BaseException:
        for path in new:
            shutil.rmtree(path, ignore_errors=True)
            with suppress(OSError):
                path.unlink(missing_ok=True)
        raise


@contextmanager
def new_file(path: Path) -> Iterator[None]:
    """Make the folders that a new file needs; should its writing inside fail, nothing is left and InputError says why."""
    with file_errors(path, advice="Give another file."), undone([path]):
        path.parent.mkdir(parents=True, exist_ok=True)
        yield


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Give a temporary place beside `path` to write to, then put it in place of an older file.

    The place is absolute, since polars takes `~` at the start for the home folder, and new: a link that somebody left under
    its name would lead elsewhere.
    """
    temporary = path.absolute().with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    try:
        temporary.open("xb").close()
        yield temporary
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def checksum(path: Path) -> int:
    """Return the CRC-32 of a file."""
    found = 0
    with path.open("rb") as stream:
        while piece := stream.read(1 << 20):
            found = zlib.crc32(piece, found)
    return found


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes from writing to a folder; the system frees the lock when this process ends in any way.

    Raises InputError where another process holds it.
    """
    from filelock import FileLock, Timeout

    file = folder / LOCK
    lock = FileLock(file.absolute(), timeout=0)
    try:
        lock.acquire()
    except Timeout:
        holder = ""
        with suppress(OSError, UnicodeDecodeError):
            holder = f" ({file.read_text(encoding='utf-8')})"
        raise InputError(f"{folder}: another run{holder} is writing here. Wait for its end, or give another folder.") from None
    try:
        with suppress(OSError):
            file.write_text(f"pid {os.getpid()} on {socket.gethostname()}", encoding="utf-8")
        yield
    finally:
        with suppress(OSError):  # before the release, or it could be the file of the next run
            file.unlink()
        lock.release()


def resume_command(folder: Path) -> str:
    """Return the command that goes on with the run in a folder."""
    return f"veggies-sim simulate --resume --out {shlex.quote(str(folder))}"
