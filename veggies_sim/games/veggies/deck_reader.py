"""Read a deck file that a person or a spreadsheet wrote, or say everything that is wrong with it.

What may live here: the way from bytes to a `Deck`, and finding the faults on it (`deck_words` tells them). It goes in four
steps, one section each: bytes -> text (encoding), text -> rows of cells (delimiter, quotes), first row -> columns, other
rows -> cards. A fault does not stop the reading where more can be learnt; all faults leave in one InputError. Nothing in a
file is run, and no path in it is opened.

Python's csv module is not used for reading: it knows the line where a row ends, not where a cell starts, and in its
lenient mode a quote that is never closed swallows the rest of the file without a word.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from veggies_sim.core.errors import InputError, nearest, show
from veggies_sim.games.veggies.deck import (
    BLANKS,
    HEADER,
    MAX_BYTES,
    MAX_CELL,
    MAX_COPIES,
    MAX_FACES,
    SPACES,
    Card,
    Deck,
    Face,
    id_fault,
    size_fault,
)
from veggies_sim.games.veggies.deck_words import ALIASES, MISSING, OTHER_WORDS, VALID_SYMBOLS, Faults

MAX_EXTRA = 100  # named columns besides those of a deck: each card keeps all of them
DELIMITERS = (",", ";", "\t")
UNFILLED: Face = (("", "", ""), ("", "", ""))  # of a card that is still to be typed in

FORMAT = f"""\
A deck file is a CSV table, one row a card, with the header {",".join(HEADER)}
(columns in any order; comma, semicolon or tab between them).
  id             any text that no other card has
  copies         how many such cards the deck has, 1 to {MAX_COPIES}; without this column 1
  r1c1 ... r2c3  the spaces of the card lying as 2 rows x 3 columns; r1c1 is the top-left one, r2c3 the bottom-right one
A space is one of {VALID_SYMBOLS}.
Also read: {OTHER_WORDS}.
Other columns with a name, such as notes, are kept in memory (Deck.extra) and not written."""
VALID_HEADER = f"{','.join(HEADER)} in any order, copies may be left out"
VALID_COPIES = f"a whole number from 1 to {MAX_COPIES}; without a copies column every card has 1"


def read_deck(path: str | os.PathLike[str]) -> Deck:
    """Return the deck in the CSV file at `path`.

    Accepted: UTF-8 and UTF-16 with or without byte order mark (UTF-16 needs it), else cp1252; comma, semicolon or tab;
    a first line `sep=;`; any line ends; blank rows; empty columns without a name; quotes; spaces around words; any
    case; the words and letters of ALIASES; columns in any order; other named columns, which go to `Deck.extra`.

    Raises InputError with every fault of the file: line, column, what was found, what is valid. Cards whose six spaces are
    all blank are told in one line: they are still to be typed in.
    """
    faults = Faults(path)
    columns, rows = _read_table(faults)
    first_lines: dict[str, int] = {}
    found = [_read_card(row, columns, first_lines, faults) for row in rows]
    if places := [place for place, row in enumerate(rows) if _unfilled(row, columns)]:
        names = [_row_name(rows[place], columns) for place in places]
        faults.waiting(names, len(rows), places[-1] - places[0] == len(places) - 1)
    if faults.items or faults.head:
        raise faults.error()
    if fault := size_fault([card for card, _ in found]):
        raise faults.stop(fault)
    return Deck([card for card, _ in found], {card.id: extra for card, extra in found})


def read_unfinished(path: str | os.PathLike[str]) -> tuple[list[Card], dict[str, dict[str, str]], InputError | None]:
    """Return the cards of a file that is still being typed in, their extra columns by id, and the error for all its faults.

    A row whose six spaces are all blank is a card with the face UNFILLED and no fault; a row with a fault gives no card.
    The error is None where there is no fault. Raises InputError for a file that can't be read as a table or is too large.
    """
    faults = Faults(path)
    columns, rows = _read_table(faults)
    first_lines: dict[str, int] = {}
    found = []
    for row in rows:
        before = len(faults.items)
        card, extra = _read_card(row, columns, first_lines, faults)
        if len(faults.items) == before:
            found.append((card, extra))
    if fault := size_fault([card for card, _ in found]):
        raise faults.stop(fault)
    return [card for card, _ in found], {card.id: extra for card, extra in found}, faults.error() if faults.items else None


# Bytes -> text.


def _read_bytes(faults: Faults) -> bytes:
    """Return the file's bytes, not more than MAX_BYTES of them."""
    try:
        if faults.path.exists() and not (faults.path.is_file() or faults.path.is_dir()):
            raise faults.stop("found no regular file but a pipe or a device; save the deck as a file")
        with faults.path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        advice = "check the spelling; a relative path starts at the current folder"
        raise faults.stop(f"found no such file; {advice}") from None
    except IsADirectoryError:
        raise faults.stop("found a folder; name the CSV file in it") from None
    except OSError as error:
        raise faults.stop(f"cannot be read ({error.strerror or error}); check the path and your right to read it") from error
    if len(data) > MAX_BYTES:
        raise faults.stop(f"found more than {MAX_BYTES:,} bytes; a deck file is a small CSV table, name that one")
    return data


def _decode(data: bytes, faults: Faults) -> str:
    """Return the text with LF line ends that also end its last line."""
    if data.startswith(b"PK\x03\x04"):
        raise faults.stop("found a spreadsheet or zip file; save the sheet as CSV and name that file")
    marked_utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("utf-16",) if marked_utf16 else ("utf-8-sig", "cp1252"):
        try:
            text = data.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    else:
        raise faults.stop("found bytes that are no text; save the deck as CSV in UTF-8")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise faults.stop(f"found a NUL byte on line {line}: no text file; save the deck as CSV in UTF-8")
    return text if text.endswith("\n") else text + "\n"


# Text -> rows of cells.


def _read_table(faults: Faults) -> tuple[_Columns, list[list[_Cell]]]:
    """Return the columns and the other rows of a file. Raises InputError where there is no table."""
    text = _decode(_read_bytes(faults), faults)
    start = _after_sep_line(text, faults)
    rows = [*itertools.islice(_filled_rows(text, start, _sniff(text, start)), MAX_FACES + 2)]
    if not rows:
        raise faults.stop("is empty; the first row must be the header", VALID_HEADER)
    columns = _read_header(rows.pop(0), faults)
    if not rows:
        faults.add(columns.line, "id", "found a header with no cards below it; write one row a card")
    if len(columns.extra) > MAX_EXTRA:
        raise faults.stop(f"found {len(columns.extra):,} other named columns; at most {MAX_EXTRA} can be kept")
    if len(rows) > MAX_FACES:
        raise faults.stop(f"found more than {MAX_FACES:,} rows of cards; a deck has no more, equal cards as copies of one")
    return columns, rows


class _Cell(NamedTuple):
    text: str  # without the quotes and the spaces around it
    line: int  # line of the file where the cell starts, from 1
    flaw: str = ""  # what keeps the cell from being read, or nothing


def _after_sep_line(text: str, faults: Faults) -> int:
    """Return where the table starts: after a first line `sep=;`, which only has to be valid: the header decides."""
    match = re.match(r'"?sep=(.?)"?[,;\t ]*\n', text, re.IGNORECASE)
    if match is None:
        return 0
    if match[1] not in DELIMITERS:
        faults.add(1, "1", f"found the delimiter {show(match[1])} after sep=", valid="comma, semicolon or tab")
    return match.end()


def _sniff(text: str, start: int) -> str:
    """Return the delimiter that finds the most column names in the header."""

    def names_found(delimiter: str) -> int:
        header = next(_filled_rows(text, start, delimiter), [])
        return sum(cell.text.lower() in HEADER for cell in header)

    return max(DELIMITERS, key=names_found)


def _filled_rows(text: str, start: int, delimiter: str) -> Iterator[list[_Cell]]:
    """Yield the rows with at least one cell that is not blank, from place `start` of the text on."""
    opening = re.compile(rf'(?:(?!{delimiter})[^\S\n]|[\u200b\ufeff])*"')
    plain = re.compile(rf"[^{delimiter}\n]*")
    place, line, row = start, text.count("\n", 0, start) + 1, list[_Cell]()
    while place < len(text):
        cell, end = _read_cell(text, place, line, opening, plain)
        row.append(cell)
        line += text.count("\n", place, end)
        place = end + 1
        if end < len(text) and text[end] == delimiter:
            continue
        line += 1
        if any(cell.text.strip(",;") or cell.flaw for cell in row):  # a row of delimiters of any kind is blank
            yield row
        row = []


def _read_cell(text: str, place: int, line: int, opening: re.Pattern[str], plain: re.Pattern[str]) -> tuple[_Cell, int]:
    """Return the cell that starts at `place` and the place of the delimiter or line end after it."""
    quote = opening.match(text, place)
    start = quote.end() if quote else place
    close = _closing_quote(text, start) if quote else place
    if close < 0:
        return _Cell(text[start:].strip(BLANKS), line, "the quote that opens here is never closed; close it"), len(text)
    rest = plain.match(text, close + 1 if quote else place)
    end = rest.end() if rest else len(text)
    value = (text[start:close].replace('""', '"') if quote else text[place:end]).strip(BLANKS)
    if len(value) > MAX_CELL:
        return _Cell(value, line, f"found a cell of {len(value):,} characters; at most {MAX_CELL:,}"), end
    if quote and (tail := text[close + 1 : end].strip(BLANKS)):
        return _Cell(value, line, f"found {show(tail)} after the closing quote; inside a cell write a quote twice"), end
    return _Cell(value, line), end


def _closing_quote(text: str, start: int) -> int:
    """Return the place of the quote that closes a cell whose words start at `start`, or -1; two quotes are a letter."""
    place = text.find('"', start)
    while place >= 0 and text.startswith('"', place + 1):
        place = text.find('"', place + 2)
    return place


# First row -> columns.


class _Columns(NamedTuple):
    line: int  # line of the header
    names: list[str]  # name of each column as it stands in the file, "" for none
    known: dict[str, int]  # columns of HEADER -> place in a row
    extra: dict[str, int]  # other named columns -> place in a row

    def title(self, place: int) -> str:
        """Return how a message names the column at `place`."""
        return (self.names[place] if place < len(self.names) else "") or str(place + 1)


def _read_header(row: list[_Cell], faults: Faults) -> _Columns:
    """Return what the columns are; note missing and repeated ones. Raises InputError where the rows cannot be read."""
    columns = _Columns(row[0].line, [cell.text for cell in row], {}, {})
    first: dict[str, int] = {}
    for place, cell in enumerate(row):
        name = cell.text.lower()
        if cell.flaw:
            faults.add(cell.line, str(place + 1), cell.flaw)
        elif name and first.setdefault(name, place) != place:
            text = f"found this name again as column {place + 1}, it is column {first[name] + 1} already; keep one"
            faults.add(cell.line, cell.text, text)
        elif name in HEADER:
            columns.known[name] = place
        elif name:
            columns.extra[cell.text] = place
    if not columns.known:
        start = show(", ".join(columns.names))
        faults.add(columns.line, "1", f"found {start} in place of the header; write it first", valid=VALID_HEADER)
    if not columns.known or any(cell.flaw for cell in row):
        raise faults.error()
    _note_missing(columns, faults)
    return columns


def _note_missing(columns: _Columns, faults: Faults) -> None:
    """Note the columns that the header lacks, each with the name in the file that may have been meant for it."""
    others = {name.lower(): name for name in [*columns.extra][:100]}
    for name in HEADER:
        guess = nearest(name, others)
        if name in columns.known or (name == "copies" and not (guess or "").startswith("cop")):
            continue  # copies may be left out, but a misspelled one must not turn into 1 without a word
        found = f"found no such column but {show(others[guess])}; write {name!r}" if guess else "found no such column"
        faults.add(columns.line, name, f"{found} in the header", valid=VALID_HEADER)


# Other rows -> cards.


def _unfilled(row: list[_Cell], columns: _Columns) -> bool:
    """Say whether all six spaces of a row are there and blank: a card that is still to be typed in."""
    cells = [row[place] for name, place in columns.known.items() if name in SPACES and place < len(row)]
    return len(cells) == len(SPACES) and not any(cell.text for cell in cells)


def _row_name(row: list[_Cell], columns: _Columns) -> str:
    """Return the id of a row as it may stand in a message, the line of one that has none."""
    place = columns.known.get("id", len(row))
    text = row[place].text if place < len(row) else ""
    plain = text.isprintable() and len(text) <= 60
    return (text if plain else show(text)) or f"line {row[0].line}"


def _read_card(row: list[_Cell], columns: _Columns, first_lines: dict[str, int], faults: Faults) -> tuple[Card, dict[str, str]]:
    """Return the card of a row, with the face UNFILLED where it is still to be typed in, and its extra columns.

    Where faults are noted, the card is only a stand-in.
    """
    _note_shape(row, columns, faults)
    cells = {name: row[place] for name, place in columns.known.items() if place < len(row) and not row[place].flaw}
    card_id = _read_id(cells["id"], first_lines, faults) if "id" in cells else ""
    copies = _read_copies(cells["copies"], faults) if "copies" in cells else 1
    spaces = () if _unfilled(row, columns) else SPACES
    read = {space: _read_symbol(cells[space], space, faults) for space in spaces if space in cells}
    a, b, c, d, e, f = (read.get(space, "") for space in SPACES)
    extra = {name: row[place].text if place < len(row) else "" for name, place in columns.extra.items()}
    return Card(card_id, ((a, b, c), (d, e, f)), copies), extra


def _note_shape(row: list[_Cell], columns: _Columns, faults: Faults) -> None:
    """Note cells with flawed quotes, a row that is too short and words where the header has no name.

    Spreadsheets write empty cells at the end of some rows and not of others, so those alone are no fault.
    """
    for place, cell in enumerate(row):
        if cell.flaw:
            faults.add(cell.line, columns.title(place), cell.flaw)
    lacking = [name for name, place in columns.known.items() if place >= len(row)]
    if lacking and not row[-1].flaw:
        text = f"found {len(row)} of the header's {len(columns.names)} cells; add {', '.join(lacking)}"
        faults.add(row[0].line, lacking[0], text)
    for place, cell in enumerate(row):
        if cell.text and not cell.flaw and not (place < len(columns.names) and columns.names[place]):
            text = f"found {show(cell.text)} where the header has no name; take it away or name the column"
            faults.add(cell.line, columns.title(place), text)
            break


def _read_id(cell: _Cell, first_lines: dict[str, int], faults: Faults) -> str:
    """Return the id; note one that is no id or stands on an earlier line too."""
    problem = id_fault(cell.text)
    if problem:
        faults.add(cell.line, "id", problem)
    elif first_lines.setdefault(cell.text, cell.line) != cell.line:
        text = f"found {show(cell.text)}, the id of line {first_lines[cell.text]} too; ids must be unique"
        faults.add(cell.line, "id", text)
    return cell.text


def _read_copies(cell: _Cell, faults: Faults) -> int:
    """Return the number of copies; note what is no whole number from 1 to MAX_COPIES."""
    if re.fullmatch("[0-9]{1,9}", cell.text) and 1 <= int(cell.text) <= MAX_COPIES:
        return int(cell.text)
    faults.add(cell.line, "copies", f"found {show(cell.text) if cell.text else 'a blank cell'}", valid=VALID_COPIES)
    return 1


def _read_symbol(cell: _Cell, space: str, faults: Faults) -> str:
    """Return the symbol that a word or letter stands for; note unknown and missing ones."""
    word = cell.text.lower()
    if word in MISSING:
        found = f"found {show(cell.text) if word else 'a blank cell'}; did you mean 'empty'?"
        faults.add(cell.line, space, found, valid=VALID_SYMBOLS)
    elif word not in ALIASES:
        faults.add(cell.line, space, f"found {show(cell.text)}", word=word, valid=VALID_SYMBOLS)
    return ALIASES.get(word, "")
