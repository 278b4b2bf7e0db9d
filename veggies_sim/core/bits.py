"""Bits of a 64-bit word, for kernels: the processor's own instructions when compiled, plain Python when not."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic, overload


def popcount(word: Any) -> int:
    """Return the number of bits set in a uint64."""
    return int(word).bit_count()


@intrinsic
def _ctpop(_context: Any, _word: Any) -> Any:
    def build(_: Any, builder: Any, __: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), build


@overload(popcount)
def _popcount_compiled(word: Any) -> Any:
    def count(word: Any) -> Any:
        return _ctpop(word)

    return count
