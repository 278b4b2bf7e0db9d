"""Files as nobody should write them, for the tests of everything that reads a file: decks, lineages, specs, targets.

What may live here: the making of them, by hand and by a seeded generator. Each is bytes with a name; nothing is judged here.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import re
import zipfile
from pathlib import Path

from veggies_sim.games.veggies.deck import BLANKS, HEADER, LETTER, MAX_CELL, SYMBOLS, Deck

HEAD = ",".join(HEADER)
ONE = "strawberry,banana,grape,carrot,mushroom,empty"
TWO = "rat,rat,empty,empty,grape,grape"
GOOD = f"{HEAD}\nv01,1,{ONE}\nv02,2,{TWO}\nv03,40,empty,grape,rat,carrot,carrot,banana\n"

# Ids that are text of some kind: a deck may have them, and no tool may take them for anything else.
IDS = {
    "formula": "=cmd|'/c calc'!A1", "plus formula": "+1+1", "at formula": "@SUM(A1)", "minus": "-x", "option": "--help",
    "script": "<script>alert(1)</script>", "svg": '<svg onload="x()"/>', "entity": "&lt;!ENTITY x&gt;&#0;", "cdata": "]]>",
    "link": "https://example.org/?a=b&c=<d>", "up": "../../x", "device": "CON", "drive": "C:\\x", "root": "/etc/passwd",
    "tilde": "~", "template": "{0.__class__}${x}%s", "shell": "$(id);`id`", "right to left": "\u202eabc\u202c",
    "hebrew": "\u05d0\u05d1",
    "emoji": "\U0001f955\U0001f400", "family": "\U0001f468\u200d\U0001f469\u200d\U0001f467", "combining": "a" + "\u0301" * 50,
    "joiners alone": "\u200d\u200c", "tag": "\U000e0041", "private": "\ue000", "noncharacter": "\uffff", "beyond": "\U0010ffff",
    "quotes": 'a"b""c', "quote alone": '"', "delimiters": "a,b;c", "colons": "v01:r1c1:", "word": "rat", "column": "r1c1",
    "number": "1e309", "nothing": "None", "dot": ".", "long": "x" * MAX_CELL, "dollar": "$\\frac{1}{0}$", "hash": "#\\N{x}\\u0000",
}  # fmt: skip
PIECES = b", \n \" ; \0 \r \xc3 \xff rat None \xe2\x80\xae ,, [ { 1e999 -1".split(b" ")  # what a change may put in
CONTROLS = {"nul": "\0", "escape": "\x1b[2J", "bell": "\a", "line separator": "\u2028", "next line": "\x85", "delete": "\x7f"}


def quoted(word: str) -> str:
    """Return a word as a cell of a CSV file."""
    return '"' + word.replace('"', '""') + '"'


def with_id(card_id: str) -> str:
    """Return a deck with a card of that id, one copy of three."""
    return f"{HEAD}\n{quoted(card_id)},3,{ONE}\nv02,20,{TWO}\nv03,20,R,R,R,.,.,.\n"


def readable() -> dict[str, bytes]:
    """Return files that are odd, and decks all the same."""
    semicolons = GOOD.replace(",", ";")
    texts = {f"id {name}": with_id(card_id) for name, card_id in IDS.items()} | {
        "canonical": GOOD, "no last line end": GOOD.rstrip("\n"), "semicolons": semicolons, "tabs": GOOD.replace(",", "\t"),
        "sep line": "sep=;\n" + semicolons, "sep line that lies": "sep=;\n" + GOOD, "crlf": GOOD.replace("\n", "\r\n"),
        "cr": GOOD.replace("\n", "\r"), "all line ends": GOOD.replace("\n", "\r\n", 1).replace("\nv03", "\rv03"),
        "blank rows": GOOD.replace("\n", "\n\n  \n\t\n"), "comma rows": GOOD.replace("\n", "\n,,,,,,,\n,,,,,,,,,,,\n"),
        "empty columns": GOOD.replace("\n", ",,,,\n"), "some empty columns": GOOD.replace("grape\n", "grape,,,\n"),
        "no-break spaces": GOOD.replace(",", "\u00a0,\u00a0"),
        "all blanks": GOOD.replace("rat", f"{BLANKS}rat".replace("\n", "").replace("\r", "")),
        "upper case": GOOD.upper(), "mixed case": GOOD.swapcase().title(),
        "no copies": re.sub("(?m)^([^,]+),[^,]+", r"\1", GOOD), "one card": f"{HEAD}\nx,1,{ONE}\n",
        "1000 of one card": f"{HEAD}\nx,1000,{ONE}\n",
        "notes": GOOD.replace("\n", ",=1+1\n").replace("=1+1", "<b>notes</b>", 1), "turned columns": "\n".join(
            ",".join(reversed(line.split(","))) for line in GOOD.split("\n")), "copies with zeros": GOOD.replace(",2,", ",0002,"),
        "quoted all": "\n".join(",".join(map(quoted, line.split(","))) for line in GOOD.strip().split("\n")),
        "letters": f"{HEAD}\na,30,S,b,G,c,M,.\nb,30,r,R,mouse,Mice,crate,BARRELS\n", "hundred columns": wide(100, 3),
        "many rows": f"{HEAD}\n" + "".join(f"{n},30,{','.join(faces(n))}\n" for n in range(1000)),
        "line end in an id": GOOD.replace("v02", '" v02\n"'), "grown cards": with_id("x" * (MAX_CELL - 1)),
    }  # fmt: skip
    encoded = {
        "mark": GOOD.encode("utf-8-sig"), "utf-16": GOOD.encode("utf-16"), "utf-16 big": b"\xfe\xff" + GOOD.encode("utf-16-be"),
        "cp1252": with_id("K\u00e4se \u20ac").encode("cp1252"),
        "surrogates in utf-8": with_id("x").encode().replace(b'"x"', b"\xed\xa0\x80"),
        "marked utf-16 with astral ids": with_id("\U0001f955").encode("utf-16"),
    }  # fmt: skip
    return {name: text.encode() for name, text in texts.items()} | encoded


def refused() -> dict[str, bytes]:
    """Return files that are no decks."""
    texts = {f"id with {name}": with_id(f"a{letters}b") for name, letters in CONTROLS.items()} | {
        "empty": "", "one line end": "\n", "header only": HEAD, "blank after the header": f"{HEAD}\n \n,,,\n", "commas": "," * 5000,
        "sep line only": "sep=;\n", "a strange sep line": "sep=|\n" + GOOD, "bars": GOOD.replace(",", "|"),
        "spaces": GOOD.replace(",", " "),
        "no header": GOOD.split("\n", 1)[1], "header twice": GOOD.replace("v02", f"{HEAD}\nv02"),
        "r1c1 twice": GOOD.replace("r1c2", "R1C1"),
        "id twice in the header": GOOD.replace("r2c3", "id"), "ids twice": GOOD.replace("v02", "v01"),
        "no id column": GOOD.replace("id", "name"),
        "copies misspelled": GOOD.replace("copies", "copy"), "short row": GOOD.replace(",grape,grape", ""),
        "long row": GOOD.replace("e\n", "e,x\n"),
        "one cell": "x", "no id": GOOD.replace("v02", " "), "nul": GOOD.replace("rat", "r\0t"),
        "unclosed": GOOD.replace("v02", '"v02'),
        "unclosed header": '"' + GOOD, "words after a quote": GOOD.replace("v02", '"v"02'), "quotes only": '"' * 4001,
        "a million": f"{HEAD}\n" + "x\n" * 400_000, "too large": GOOD + "\n" * 1_000_000,
        "rows": f"{HEAD}\n" + f"x,1,{ONE}\n" * 1001,
        "1000 x 1000": f"{HEAD}\n" + "".join(f"{n},1000,{ONE}\n" for n in range(1000)),
        "too long an id": with_id("x" * (MAX_CELL + 1)),
        "too long a symbol": GOOD.replace("rat", "x" * (MAX_CELL + 1)),
        "too long a column": GOOD.replace("copies", "c" * (MAX_CELL + 1)),
        "columns": wide(101, 3), "columns and rows": wide(9000, 900), "html": "<html><body><script>x</script></body></html>",
        "svg": "<svg xmlns='http://www.w3.org/2000/svg'/>", "toml": 'id = "x"\n', "json": json.dumps({"id": [HEAD] * 9}),
        "pickle": "cos\nsystem\n(S'id'\ntR.", "shell": "#!/bin/sh\nid\n", "columns that lie": "\u202e" + GOOD,
        "lines": "a,b\n" * 3000,
        "blank template": f"{HEAD}\n" + "".join(f"v{n},1,,,,,,\n" for n in range(40)), "half typed": GOOD + "v04,1,,,,,,\n",
    }  # fmt: skip
    texts |= {f"copies {word[:20]}": GOOD.replace(",2,", f",{word},") for word in (
        "0", "-1", "1e9", "1001", "2.0", "1_0", "\u0662", "\u00b2", "9" * 5000, "", "NaN", "0x2", "True", "=2")}  # fmt: skip
    texts |= {f"symbol {word!r}": GOOD.replace("mushroom", word) for word in (
        "", "None", "NA", "n/a", "nan", "NULL", "-", "graep", "rat rat", "\U0001f400", "=rat", "<rat>", "\u202etar", "r\u0430t",
        "0", "ra\u0301t")}
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("../cards.csv", GOOD)
    noise = random.Random(7)
    encoded = {
        "utf-16 without mark": GOOD.encode("utf-16-le"), "utf-32": GOOD.encode("utf-32"),
        "half a letter": GOOD.encode("utf-16")[:-1],
        "lone surrogate": b"\xff\xfe" + GOOD.encode("utf-16-le").replace(b"v\0", b"\x00\xd8"),
        "bytes of no text": GOOD.encode() + b"\x81",
        "mark only": b"\xef\xbb\xbf", "utf-16 mark only": b"\xff\xfe", "gzip": gzip.compress(GOOD.encode(), mtime=0),
        "zip": zipped.getvalue(),
        "pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n",
        "png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + noise.randbytes(60),
        "elf": b"\x7fELF" + noise.randbytes(200), "parquet": b"PAR1" + noise.randbytes(200) + b"PAR1", "zeros": bytes(5000),
        "ff": b"\xff" * 5000, "longer in utf-8": long_in_utf8(6),
    } | {f"noise {size}": noise.randbytes(size) for size in (1, 2, 3, 10, 100, 1000, 10_000)}  # fmt: skip
    return {name: text.encode() for name, text in texts.items()} | encoded


def wide(columns: int, rows: int) -> str:
    """Return a deck with so many named columns of no deck, and rows that leave them out."""
    names = ",".join(f"n{number}" for number in range(columns))
    return f"{HEAD},{names}\n" + "".join(f"v{number},20,{ONE}\n" for number in range(rows))


def long_in_utf8(cards: int) -> bytes:
    """Return a deck of fewer bytes in UTF-16 than a deck file may have, and more in UTF-8."""
    return "\n".join([HEAD, *(f"{number}{chr(0x4E00) * 80_000},9,{ONE}" for number in range(cards))]).encode("utf-16")


def faces(number: int) -> list[str]:
    """Return the letters of a face, another one for each number below 7 ** 6."""
    return [LETTER[SYMBOLS[number // 7**place % 7]] for place in range(6)]


def mutants(number: int, seed: int = 3) -> dict[str, bytes]:
    """Return good files with some bytes flipped, taken away, put in, doubled or moved; the same for the same seed."""
    source = random.Random(seed)
    bases = [GOOD.encode(), GOOD.replace(",", ";").encode("utf-8-sig"), with_id("K\u00e4se").encode("cp1252"),
        GOOD.encode("utf-16"),
             Deck.shipped().to_csv().encode()]  # fmt: skip
    return {f"mutant {n}": mutated(bases[n % len(bases)], source) for n in range(number)}


def mutated(raw: bytes, source: random.Random) -> bytes:
    """Return bytes with one to four changes, of which most are such as an editor or a bad disk makes."""
    for _ in range(source.choice([1, 1, 1, 2, 4])):
        start = source.randrange(len(raw) + 1)
        end = min(len(raw), start + source.choice([1, 1, 2, 5, 40]))
        cut, flip = raw[start:end], 1 << source.randrange(8)
        flipped = bytes(byte ^ flip for byte in cut[:2]) + cut[2:]
        cut = source.choice([flipped, b"", cut + source.choice(PIECES), cut * 2, cut[::-1], cut.swapcase()])
        raw = raw[:start] + cut + raw[end:]
    return raw


def dressed(number: int, seed: int = 5) -> dict[str, bytes]:
    """Return decks at random in random dress: encoding, delimiter, line ends, ids, words, blanks, order of columns."""
    source = random.Random(seed)
    return {f"dressed {n}": _dressed(source) for n in range(number)}


def _dressed(source: random.Random) -> bytes:
    names = source.sample(sorted(set(IDS) - {"long"}), source.randint(1, 12))
    order = source.sample(HEADER, len(HEADER))
    delimiter, line_end = source.choice(",;\t"), source.choice(["\n", "\r\n", "\r"])
    rows = [order]
    for name in names:
        cells = [quoted(IDS[name]), str(source.randint(1, 30)), *(_word(source) for _ in range(6))]
        row = dict(zip(HEADER, cells, strict=True))
        rows += [[source.choice(["", " ", "\u00a0"]) + row[column] for column in order]]
        rows += [[""] * source.randint(1, 12)] * source.choice([0, 0, 1])
    text = line_end.join(delimiter.join(row) for row in rows)
    return text.encode(source.choice(["utf-8", "utf-8-sig", "utf-16"]))


def _word(source: random.Random) -> str:
    symbol = source.choice(SYMBOLS)
    return source.choice([symbol, symbol.upper(), symbol.title(), LETTER[symbol], LETTER[symbol].lower()])


def places(folder: Path) -> list[Path]:
    """Make what stands where a deck should be and is no file, as far as the system has it, and return the paths."""
    found = [folder / "folder.csv", folder / "nothing.csv", folder / ("long" * 100 + ".csv"), folder / "no" / "folder" / "x.csv"]
    found[0].mkdir()
    links = {"loop.csv": "loop.csv", "broken.csv": "nowhere", "up.csv": ".", "null.csv": os.devnull, "zeros.csv": "/dev/zero"}
    for name, target in links.items():
        os.symlink(target, folder / name)
        found.append(folder / name)
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe.csv")
        found.append(folder / "pipe.csv")
    return found


def lineages(deck: Deck) -> dict[str, bytes]:
    """Return files that may lie where the lineage of a deck is looked for; none of them is one."""
    line = {"deck": deck.hash, "parent": "0" * 64, "operation": "set", "arguments": {"card": "a", "space": "r1c1", "symbol": "rat"},
            "seed": None, "version": "0.1"}  # fmt: skip
    whole = json.dumps(line)
    wrong: dict[str, list[object]] = {
        "deck": [None, 1, "", "x" * 64, deck.hash.upper(), [deck.hash], {"a": 1}], "parent": [None, "0" * 63, 0],
        "operation": ["eval", "__class__", None, ["set"], {}, ""],
        "arguments": [None, [], "x", {"\x1b[2J": "x"}, {"a": {}}, {"a": [[]]}, {"": 1},
            {"a": float("nan")}, {"a": [float("inf")]}, {"\u202e": 1}], "seed": [-1, 2**63, 1.5, "1", True, [1]],
        "version": ["", "x" * 41, "\x1b[2J", 1, None, "1\n2", "<b>"],
    }  # fmt: skip
    texts = {f"{key} {place}": json.dumps(line | {key: value}) for key in wrong for place, value in enumerate(wrong[key])}
    texts |= {f"no {key}": json.dumps({other: line[other] for other in line if other != key}) for key in line}
    depths = (50, 500, *range(880, 1000, 8), 100_000)  # in some of them Python can read what it can't write
    texts |= {f"deep {depth}": whole.replace('"0.1"', "[" * depth + "]" * depth) for depth in depths}
    texts |= {
        "empty": "", "blank lines": "\n\n", "another key": json.dumps(line | {"path": "/etc/passwd"}), "number": "1",
        "list": "[]", "word": "x",
        "null": "null", "twice the first": f"{whole}\n{whole}\n", "blank line inside": f"{whole}\n\n{whole}",
        "half a line": whole[:90],
        "digits": whole.replace("null", "9" * 5000), "huge number": whole.replace('"rat"', "1e999"),
        "too large": whole + " " * 10_000_001,
        "single quotes": whole.replace('"', "'"), "comment": f"# x\n{whole}", "csv": GOOD,
    }  # fmt: skip
    encoded = {"utf-16": whole.encode("utf-16"), "noise": random.Random(2).randbytes(500), "zeros": bytes(100),
        "cp1252": b'{"\xe4": 1}'}
    return {name: text.encode() for name, text in texts.items()} | encoded


SPEC = """\
cards = 6
duplicates = "none"
[symbols]
rat = [2, 6]
[card]
rat = [0, 2]
[cards_with]
rat = { 0 = [1, 6] }
[clusters]
touching = [0.0, 0.4]
[[exclude]]
name = "x"
beside = ["rat", "mushroom"]
"""
TARGET = """\
players = 3
policies = ["random"]
[rules]
rat_penalty = 2
[[objective]]
metric = "winner_score"
goal = 50
tolerance = 2
weight = 1
[deck]
cards = 30
[deck.symbols]
rat = [10, 20]
"""
AXES = """\
[[axis]]
metric = "rat_cost"
low = 0
high = 4
cells = 4
[[axis]]
metric = "score_sd"
low = 5
high = 25
cells = 4
"""
LANDSCAPE = TARGET.replace("[deck]", f"{AXES}[deck]", 1)
VALUES = ["", "nan", "inf", "-1", "1e400", "9" * 400, "9" * 5000, "1.5", "true", '""', '"\\u0000"', "[]", "{}", "[[1]]",
    "1979-05-27", "07:32:00",
          "[1, 2, 3]", "[2, 1]", "[" * 90 + "]" * 90, "[" * 5000 + "]" * 5000, '"__import__(\'os\')"', '"' + "x" * 5000 + '"',
          "0x_1",
          '["", ""]', '{ x = 1 }', '"""\nx"""', "'../../x.py:Policy'", '"<script>"', "[nan, nan]", "[true, false]"]  # fmt: skip


def tomls(good: str, number: int, seed: int) -> dict[str, bytes]:
    """Return files of settings that are odd: a key with every kind of value, tables gone or doubled, other formats, mutants."""
    source = random.Random(seed)
    lines = good.strip().split("\n")
    keys = [place for place, line in enumerate(lines) if " = " in line]
    texts = {}
    for count, value in enumerate(VALUES * 2):
        place = keys[count % len(keys)]
        texts[f"value {count}"] = "\n".join([*lines[:place], f"{lines[place].split(' = ')[0]} = {value}", *lines[place + 1 :]])
    for place in range(len(lines)):
        texts[f"without line {place}"] = "\n".join(lines[:place] + lines[place + 1 :])
        texts[f"line {place} twice"] = "\n".join(lines[: place + 1] + lines[place:])
    texts |= {"empty": "", "deep key": "a." * 900 + "b = 1", "csv": GOOD, "json": "{}", "too large": "#" * 1_000_001,
        "cr": good.replace("\n", "\r")}
    raw = {name: text.encode() for name, text in texts.items()}
    raw |= {"mark": good.encode("utf-8-sig"), "utf-16": good.encode("utf-16"), "nul": good.encode() + b"\0",
        "noise": source.randbytes(300)}
    return raw | {f"mutant {n}": mutated(good.encode(), source) for n in range(number)}
