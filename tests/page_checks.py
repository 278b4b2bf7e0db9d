"""Reading pages of ours back, for tests."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

HOSTILE = ("<script>alert(1)</script>", '"onload=alert(2) x="', "'><img src=x onerror=alert(3)>", "&lt;b&gt;", "{{ 7 * 7 }}")
VOID = {"meta", "img"}


class Reader(HTMLParser):
    """Reads a page, refuses tags that are not closed in order, and keeps what is in it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def pictures(self) -> list[str]:
        """Return the SVG of every picture."""
        sources = [str(attributes["src"]).split("base64,") for attributes in self.all("img")]
        assert all(head == "data:image/svg+xml;" for head, _ in sources)
        return [base64.b64decode(body).decode() for _, body in sources]


def assert_closed_in_itself(text: str) -> Reader:
    """Check that a page is well formed, fetches nothing and runs nothing."""
    read = Reader(text)
    assert {name for name, _ in read.tags}.isdisjoint({"script", "link", "iframe", "object", "embed", "form", "base", "svg"})
    assert not [key for _, attributes in read.tags for key in attributes if key.startswith("on") or key == "style"]
    assert {str(a["href"])[0] for a in read.all("a")} == {"#"} and "http" not in re.sub("http-equiv", "", text)
    policy = next(a["content"] for a in read.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert policy and policy.startswith("default-src 'none'; img-src data:;") and "script" not in policy
    assert read.all("html") == [{"lang": "en"}] and any(a.get("name") == "viewport" for a in read.all("meta"))
    assert len(read.all("title")) == len(read.all("h1")) == 1
    assert len(read.all("table")) == len(read.all("caption")) and {a["scope"] for a in read.all("th")} == {"col", "row"}
    assert all(a["alt"] for a in read.all("img"))
    ids = [a["id"] for _, a in read.tags if "id" in a]
    assert len({*ids}) == len(ids) and {f"#{name}" for name in ids} == {a["href"] for a in read.all("a")}
    for svg in read.pictures():
        names = {element.tag.split("}")[-1] for element in ElementTree.fromstring(svg).iter()}
        assert names.isdisjoint({"script", "image", "foreignObject", "a"}) and not re.search(r"\son\w+=|@import|url\((?!#)", svg)
    return read
