"""Stage 8: XLIFF 1.2 and 2: the targets, named by the id of their unit and by its name."""

from __future__ import annotations

import html
import re
from functools import partial
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

from tersely.fit.value import Value, escaped

_START_TAG = re.compile(rb"<[^\s/>]+(?:\s+[^\s=]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*\s*/?>")
_DECLARATION = re.compile(r"<\?xml[^>]*\?>")
_CDATA, _CDATA_END = "<![CDATA[", "]]>"
_PIECE = re.compile(r"&#?\w+;|.", re.DOTALL)
_WRITTEN = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def find(text: str, name: str) -> list[Value]:
    return _Reader(text).values


def parse(text: str) -> list[Any]:
    """The elements of the file with their attributes and texts."""
    try:
        root = ElementTree.fromstring(_DECLARATION.sub("", text, count=1))
    except ElementTree.ParseError as error:
        raise ValueError(str(error)) from None
    found: list[Any] = []
    for element in root.iter():
        found += [("element", element.tag, element.attrib), element.text, ("tail", element.tail)]
    return found


class _Reader:
    """Follows the elements, and knows where the content of each target begins and ends."""

    def __init__(self, text: str) -> None:
        self.source, self.data = text, text.encode()
        self.values: list[Value] = []
        self.open: list[str] = []  # the elements that the parser is in
        self.names: tuple[str, ...] = ()  # of the unit
        self.language: str | None = None
        self.said = ""
        self.begin = 0
        self.place = (0, 0)  # bytes, and the number of characters in them
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler, self.parser.EndElementHandler = self.start, self.end
        self.parser.CharacterDataHandler, self.parser.EntityDeclHandler = self.text, self.entity
        try:
            self.parser.Parse(self.data, True)
        except expat.ExpatError as error:
            raise ValueError(str(error)) from None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.open.append(tag.rpartition(":")[2])
        self.language = attributes.get("target-language") or attributes.get("trgLang") or self.language
        if self.open[-1] in ("trans-unit", "unit"):
            self.names = tuple(attributes[key] for key in ("id", "resname", "name") if key in attributes) or ("",)
        if self.open[-1] == "target":
            tag_end = _START_TAG.match(self.data, self.parser.CurrentByteIndex)
            assert tag_end is not None
            self.begin, self.said = tag_end.end(), ""

    def text(self, said: str) -> None:
        self.said += said

    def end(self, tag: str) -> None:
        if self.open[-2:] in (["trans-unit", "target"], ["segment", "target"]) and self.said:
            self.add(self.characters(self.begin), self.characters(self.parser.CurrentByteIndex))
        self.open.pop()

    def add(self, start: int, end: int) -> None:
        source = self.source[start:end]
        inner = source.removeprefix(_CDATA).removesuffix(_CDATA_END)
        cdata = len(inner) == len(source) - len(_CDATA + _CDATA_END) and _CDATA_END not in inner
        fixed = "" if cdata or "<" not in source else "it has elements or comments inside"
        if cdata:
            start, end = start + len(_CDATA), end - len(_CDATA_END)
        encode = str if cdata else partial(_encoded, source)
        self.values.append(Value(start, end, self.said, self.names, encode, self.language, fixed))

    def characters(self, byte: int) -> int:
        """The number of characters before a byte; it is asked for one after another."""
        before, count = self.place
        self.place = byte, count + len(self.data[before:byte].decode())
        return self.place[1]

    def entity(self, name: str, *_: object) -> None:
        raise ValueError(f"it declares the entity {name!r}, which is not read")


def _encoded(source: str, text: str) -> str:
    pieces = [(html.unescape(one), one) for one in _PIECE.findall(source)]
    return escaped(text, pieces, lambda char: _WRITTEN.get(char, char))
