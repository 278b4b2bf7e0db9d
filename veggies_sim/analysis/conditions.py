"""Conditions that people write, such as `score >= 60 and not win == 1`, as expressions of a row. Text is read, never run.

    condition   = condition and condition | condition or condition | not condition | ( condition ) | comparison | yes-or-no name
    comparison  = term == term | !=; numbers also < <= > >=, and chains of them such as 10 <= score < 20
    term        = name | number | "word" | True | False

A condition on a missing value is not met, nor is its opposite: `==`, `!=` and the others of it are unknown, `not` leaves that
unknown, `and` and `or` decide where their known parts do (three-valued logic), and what is unknown in the end is not met.
Python's own parser reads the text; what is not
in the list above is refused, so nothing that a text says can be carried out.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import polars as pl

from veggies_sim.core.errors import InputError, show, unknown

LONGEST = 1000  # characters of a condition
DEEPEST = 20  # conditions within conditions
MOST = 2**53  # numbers up to here are exact, whole or not
NUMBER, WORD, TRUTH = "a number", "a word", "a yes or no"
FORM = 'valid: names, numbers and "words", compared by == != < <= > >=, and: and, or, not, ( )'

_ORDER: dict[type[ast.cmpop], Callable[[pl.Expr, pl.Expr], pl.Expr]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_EQUAL: dict[type[ast.cmpop], Callable[[pl.Expr, pl.Expr], pl.Expr]] = {ast.Eq: operator.eq, ast.NotEq: operator.ne}


class Term(NamedTuple):
    """What can be compared: a name that conditions may use, or a value."""

    value: pl.Expr
    kind: str  # NUMBER, WORD or TRUTH
    words: tuple[str, ...] = ()  # that a WORD can be; none: any
    word: str | None = None  # the word itself, of a value


def term(value: pl.Expr, dtype: pl.DataType, words: tuple[str, ...] = ()) -> Term | None:
    """Return an expression of some type as what conditions can name; None for a type that they can't, such as a list.

    Whole numbers become Int64, others Float64: small types would not compare with large numbers.
    """
    if dtype == pl.Boolean:
        return Term(value, TRUTH)
    if dtype.is_numeric():
        return Term(value.cast(pl.Int64 if dtype.is_integer() else pl.Float64), NUMBER)
    return Term(value.cast(pl.String), WORD, words) if dtype in (pl.String, pl.Categorical, pl.Enum) else None


def condition(text: object, names: Mapping[str, Term], where: str) -> pl.Expr:
    """Return a condition as an expression that is true or false in every row.

    names: what it may use. Raises InputError, which begins with `where` and the place of the fault in the text.
    """
    if not isinstance(text, str) or not text.strip():
        raise InputError(f'{where}: found {show(text)}; give a condition as text, such as "score >= 60".')
    if len(text) > LONGEST or any(sign in text for sign in "\n\r\0"):
        raise InputError(f"{where}: found {len(text):,} characters; a condition is one line of at most {LONGEST:,}.")
    text = text.strip()
    try:
        with warnings.catch_warnings():  # Python's advice on texts that are refused anyway
            warnings.simplefilter("ignore")
            tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        place = min(error.offset or len(text), len(text))
        raise InputError(f"{where}, character {place}: {show(text)} can't be read: {error.msg}; {FORM}.") from None
    except (ValueError, RecursionError, MemoryError):
        raise InputError(f"{where}: {show(text)} can't be read: it is nested too deep; {FORM}.") from None
    return _Reader(text, names, where).truth(tree.body, 1).fill_null(False)


class _Reader:
    """Goes through the parts of one condition."""

    def __init__(self, text: str, names: Mapping[str, Term], where: str) -> None:
        self.text, self.names, self.where = text, names, where

    def fault(self, node: ast.expr, what: str) -> InputError:
        before = self.text.encode()[: node.col_offset].decode(errors="ignore")  # Python counts bytes
        return InputError(f"{self.where}, character {len(before) + 1}: {what}")

    def words(self, node: ast.expr) -> str:
        return show(ast.get_source_segment(self.text, node))

    def truth(self, node: ast.expr, depth: int) -> pl.Expr:
        """Return what is true, false, or null where it rests on a missing value."""
        if depth > DEEPEST:
            raise self.fault(node, f"conditions are nested more than {DEEPEST} deep; write it flatter, or as several.")
        if isinstance(node, ast.BoolOp):
            together = pl.all_horizontal if isinstance(node.op, ast.And) else pl.any_horizontal
            return together([self.truth(part, depth + 1) for part in node.values])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.truth(node.operand, depth + 1).not_()
        if isinstance(node, ast.Compare):
            terms = [self.term(each) for each in (node.left, *node.comparators)]
            sides = zip([node.left, *node.comparators], terms, strict=True)
            pairs = zip(terms, node.ops, list(sides)[1:], strict=False)
            return pl.all_horizontal([self.compared(left, sign, *right) for left, sign, right in pairs])
        found = self.term(node)
        if found.kind != TRUTH:
            raise self.fault(node, f"{self.words(node)} is {found.kind}, no condition; compare it with something.")
        return found.value

    def compared(self, left: Term, sign: ast.cmpop, node: ast.expr, right: Term) -> pl.Expr:
        """Return a comparison of two terms, of which `node` is the right one."""
        if type(sign) not in _ORDER and type(sign) not in _EQUAL:
            raise self.fault(node, f"terms are compared by == != < <= > >= only, not by the sign before {self.words(node)}.")
        if left.kind != right.kind:
            raise self.fault(node, f"{self.words(node)} is {right.kind}, what stands before it is {left.kind}.")
        for a, b in ((left, right), (right, left)):
            if a.word is not None and b.words and a.word not in b.words:
                raise self.fault(node, str(unknown("word", a.word, b.words)))
        if type(sign) in _EQUAL:
            return _EQUAL[type(sign)](left.value, right.value)
        if left.kind != NUMBER:
            raise self.fault(node, f"only numbers have an order, and {self.words(node)} is {left.kind}; use == or !=.")
        return _ORDER[type(sign)](left.value, right.value)

    def term(self, node: ast.expr) -> Term:
        """Return what a name or a value stands for."""
        if isinstance(node, ast.Name):
            if node.id not in self.names:
                raise self.fault(node, str(unknown("name", node.id, self.names)))
            return self.names[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd) and isinstance(node.operand, ast.Constant):
            found = self.value(node.operand)
            if found.kind == NUMBER:
                return found._replace(value=-found.value) if isinstance(node.op, ast.USub) else found
        if isinstance(node, ast.Constant):
            return self.value(node)
        raise self.fault(node, f"{self.words(node)} is nothing that a condition can hold; {FORM}.")

    def value(self, node: ast.Constant) -> Term:
        """Return a number, a word, or True or False."""
        value: Any = node.value
        if isinstance(value, bool):
            return Term(pl.lit(value), TRUTH)
        if isinstance(value, str):
            return Term(pl.lit(value), WORD, word=value)
        if isinstance(value, int | float):
            if not abs(value) <= MOST:
                raise self.fault(node, f"the number is too large; valid: -{MOST:,} to {MOST:,}.")
            return Term(pl.lit(value, pl.Int64 if isinstance(value, int) else pl.Float64), NUMBER)
        raise self.fault(node, f"{self.words(node)} is no value that a condition can hold; {FORM}.")
