"""What the tests of pictures share: reading an SVG, and checking that it is whole."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from veggies_sim.games.veggies.deck import Face

SVG = "{http://www.w3.org/2000/svg}"
FACE: Face = (("strawberry", "banana", "grape"), ("carrot", "mushroom", "rat"))
OTHER: Face = (("empty", "grape", "grape"), ("rat", "carrot", "empty"))


def texts(svg: str) -> list[str]:
    """Return the texts that can be seen in an image, in order."""
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def boxes(element: ElementTree.Element, x: float = 0, y: float = 0) -> list[tuple[float, float, float, float]]:
    """Return (left, top, right, bottom) of every rectangle and, as far as can be guessed, text below an element."""
    moved = re.match(r"translate\((\S+) (\S+)\)", element.get("transform", ""))
    x, y = (x + float(moved[1]), y + float(moved[2])) if moved else (x, y)
    left, top = x + float(element.get("x", 0)), y + float(element.get("y", 0))
    found = []
    if element.tag == f"{SVG}rect":
        found.append((left, top, left + float(element.attrib["width"]), top + float(element.attrib["height"])))
    if element.tag == f"{SVG}text":
        size = float(element.attrib["font-size"])
        width = 0.6 * size * len(element.text or "")
        left -= {"middle": 0.5, "end": 1.0}.get(element.get("text-anchor", ""), 0) * width
        found.append((left, top - 0.8 * size, left + width, top + 0.2 * size))
    return found + [box for child in element for box in boxes(child, x, y)]


def assert_whole(svg: str) -> None:
    """Check that an image is well-formed, needs nothing from outside, runs nothing and draws nothing off its edge."""
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {"svg", "g", "rect", "path", "text", "title"}
    assert not [name for element in root.iter() for name in element.attrib if "href" in name or name.startswith("on")]
    assert svg.count("http") == 1
    assert "url(" not in svg
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for left, top, right, bottom in boxes(root):
        assert 0 <= left <= right <= width
        assert 0 <= top <= bottom <= height
    assert min(float(element.attrib["font-size"]) for element in root.iter(f"{SVG}text")) >= 12
