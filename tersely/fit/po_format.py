"""Stage 8: gettext's PO: the translations, named by their msgid, and where there is one, by their msgctxt."""

from __future__ import annotations

import re
import textwrap
from functools import partial
from typing import Any

from tersely.errors import missing_extra
from tersely.fit.value import Value, escaped

_LINE = re.compile(r'[ \t]*(?:(msgctxt|msgid|msgid_plural|msgstr)(\[\d+\])?[ \t]*)?("(?:[^"\\\r\n]|\\.)*")[ \t]*\r?$')
_QUOTED = re.compile(r'"((?:[^"\\\r\n]|\\.)*)"')
_CHAR = re.compile(r"\\x[0-9a-fA-F]{2}|\\[0-7]{1,3}|\\.|.", re.DOTALL)
_NAMES = {"n": "\n", "t": "\t", "r": "\r"}
_WRITTEN = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_LANGUAGE = re.compile(r"^Language:[ \t]*(\w+(?:[-_@]\w+)*)", re.MULTILINE)
_WIDTH = 76  # of a line, as gettext has it


def find(text: str, name: str) -> list[Value]:
    _check(text)
    found: list[Value] = []
    entry: dict[str, str] = {}
    language = None
    for keyword, start, end in _strings(text):
        source = text[start:end]
        read = "".join(char for char, _ in _pieces(source))
        if keyword in ("msgctxt", "msgid"):
            entry = {} if keyword == "msgctxt" or "msgid" in entry else entry
            entry[keyword] = read
        elif keyword == "msgstr" and not entry.get("msgid"):
            header = _LANGUAGE.search(read)
            language = header[1] if header and language is None else language
        elif keyword == "msgstr":
            context = [entry["msgctxt"]] if "msgctxt" in entry else []
            names = (entry["msgid"], *context, ".".join([*context, entry["msgid"]]))
            found.append(Value(start, end, read, names, partial(_encoded, source), language))
    return found


def parse(text: str) -> list[Any]:
    """All that the entries of a PO file say."""
    found: list[Any] = []
    for entry in _check(text):
        found += [entry.msgctxt, entry.msgid, entry.msgid_plural, ("obsolete", entry.obsolete), ("flags", entry.flags)]
        found += [entry.msgstr, *entry.msgstr_plural.values()]
    return found


def _check(text: str) -> Any:
    try:
        import polib
    except ImportError:
        raise missing_extra("fit", "polib") from None
    try:
        return polib.pofile(f"{text}\n", check_for_duplicates=False)  # the line break: it is no name of a file
    except OSError as error:
        raise ValueError(" ".join(str(error).replace(text, "").split())) from None


def _strings(text: str) -> list[tuple[str, int, int]]:
    """The strings with their keyword and span, from the first quotation mark to the last."""
    found: list[tuple[str, int, int]] = []
    at = 0
    goes_on = False
    for line in text.split("\n"):
        match = _LINE.match(line)
        if match and match[1]:
            found.append((match[1], at + match.start(3), at + match.end(3)))
        elif match and goes_on:
            found[-1] = (*found[-1][:2], at + match.end(3))
        goes_on = match is not None and bool(match[1] or goes_on)
        at += len(line) + 1
    return found


def _pieces(source: str) -> list[tuple[str, str]]:
    return [(_decoded(one), one) for part in _QUOTED.findall(source) for one in _CHAR.findall(part)]


def _decoded(one: str) -> str:
    if one[0] != "\\":
        return one
    if one[1] == "x" or one[1].isdigit():
        return chr(int(one[2:], 16) if one[1] == "x" else int(one[1:], 8))
    return _NAMES.get(one[1], one[1])


def _encoded(source: str, text: str) -> str:
    """A string in one line, or wrapped as gettext does where the old one had several lines and the new one needs it."""
    written = escaped(text, _pieces(source), lambda char: _WRITTEN.get(char, char))
    if "\n" not in source or len(written) <= _WIDTH - len('msgstr ""'):
        return f'"{written}"'
    lines = textwrap.wrap(written, _WIDTH - 2, break_long_words=False, break_on_hyphens=False, drop_whitespace=False)
    newline = "\r\n" if "\r\n" in source else "\n"
    return newline.join(['""', *(f'"{line}"' for line in lines)])
