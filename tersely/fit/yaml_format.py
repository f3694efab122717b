"""Stage 8: YAML: the texts of mappings and sequences, named by their path, in any of the five styles of a scalar."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from tersely.errors import missing_extra
from tersely.fit.value import Value, escaped

_STR = "tag:yaml.org,2002:str"
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)+")  # the anchor and the tag of a node
_CHAR = re.compile(r"\\(?:x..|u.{4}|U.{8}|.)|.", re.DOTALL)
_BLOCK = re.compile(r"(?P<header>[|>][^\r\n]*\r?\n)(?P<body>.*?)(?P<tail>\s*)", re.DOTALL)


class _Scalar(NamedTuple):
    text: str
    style: str | None


def find(text: str, name: str) -> list[Value]:
    yaml = _yaml()
    try:
        documents = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
        seen: set[int] = set()
        found = [value for one in documents if one is not None for value in _values(text, one, (), seen)]
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return sorted(found, key=lambda value: value.start)


def parse(text: str) -> list[Any]:
    """The events of a YAML file: all scalars, anchors, aliases and tags."""
    yaml = _yaml()
    found: list[Any] = []
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            # A plain scalar that is quoted when it is changed is the same text, but has other implicit tags.
            found.append((type(event).__name__, getattr(event, "anchor", None), getattr(event, "tag", None)))
            found += [event.value] if isinstance(event, yaml.ScalarEvent) else []
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return found


def _yaml() -> Any:
    try:
        import yaml
    except ImportError:
        raise missing_extra("fit", "PyYAML") from None
    return yaml


def _values(text: str, node: Any, path: tuple[str, ...], seen: set[int]) -> Iterator[Value]:
    """The texts under a node; what an alias repeats has its place at its anchor."""
    if id(node) in seen:
        return
    seen.add(id(node))
    if node.id == "mapping":
        for key, value in node.value:
            yield from _values(text, value, (*path, str(getattr(key, "value", ""))), seen)
    elif node.id == "sequence":
        for i, value in enumerate(node.value):
            yield from _values(text, value, (*path, str(i)), seen)
    elif node.tag == _STR:
        start, end = node.start_mark.index, node.end_mark.index
        properties = _PROPERTIES.match(text, start, end)
        start = properties.end() if properties else start
        yield Value(
            start,
            end,
            node.value,
            (".".join(path),),
            partial(_encoded, text[start:end], _Scalar(node.value, node.style)),
        )


def _encoded(source: str, scalar: _Scalar, text: str) -> str:
    if scalar.style in ("|", ">"):
        return _block(source, scalar, text)
    if scalar.style == '"':
        return f'"{escaped(text, _pieces(source[1:-1]), _escape)}"'
    # Between brackets a comma ends a plain text: one that has a comma does not stand there.
    bare = _is_plain(text, "{key: ", "}") or not _is_plain(scalar.text, "{key: ", "}")
    if scalar.style is None and bare and _is_plain(text, "key: "):
        return text
    return "'" + text.replace("'", "''") + "'"


def _block(source: str, scalar: _Scalar, text: str) -> str:
    """A block scalar with its header, its indentation, and the line breaks at its end."""
    parts = _BLOCK.fullmatch(source)
    assert parts is not None
    lines = parts["body"].splitlines()
    indent = _leading(lines) - _leading(scalar.text.split("\n"))
    new = text.rstrip("\n").split("\n")
    if scalar.style == ">":
        width = max(map(len, lines)) - indent
        new = textwrap.wrap(" ".join(new), width, break_long_words=False, break_on_hyphens=False)
    newline = "\r\n" if parts["header"].endswith("\r\n") else "\n"
    return parts["header"] + newline.join(" " * indent + line for line in new) + parts["tail"]


def _leading(lines: Sequence[str]) -> int:
    """The spaces before the first line that has more than spaces."""
    first = next((line for line in lines if line.strip()), "")
    return len(first) - len(first.lstrip(" "))


def _is_plain(text: str, before: str, after: str = "") -> bool:
    """Whether a text is that text without quotes, between these two."""
    yaml = _yaml()
    try:
        node = yaml.compose(f"{before}{text}{after}", Loader=yaml.SafeLoader)
        ((_, value),) = node.value
        return bool(value.tag == _STR and value.value == text)
    except (yaml.YAMLError, TypeError, ValueError):
        return False


def _pieces(source: str) -> list[tuple[str, str]]:
    escapes = _yaml().scanner.Scanner.ESCAPE_REPLACEMENTS
    found = []
    for one in _CHAR.findall(source):
        code = one[1:]
        if one[0] != "\\":
            found.append((one, one))
        elif code[0] in "xuU" and len(code) > 1:
            found.append((chr(int(code[1:], 16)), one))
        else:
            found.append((escapes.get(code, ""), one))
    return found


def _escape(char: str) -> str:
    names = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return names.get(char) or (char if char.isprintable() or char == " " else f"\\U{ord(char):08x}")
