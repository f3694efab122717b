"""Every format finds its values with their spans, and writes new ones so that no other byte changes: drawn files."""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import polib
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tersely.errors import InputError
from tersely.fit.document import FORMATS, Document
from tersely.fit.value import Value, replaced

WORDS = (
    'the ship {name} %1$s it\'s "so" é Zoë 👍 a\\b # : - ? ! {{n}} <b>x</b> &amp; yes no null 12 = key: [a] 東京 '
    "| ~ * & @x 50%"
)
WORD = st.sampled_from(WORDS.split())
TEXT = st.lists(WORD, min_size=1, max_size=9).map(" ".join)
KEY = st.text("abcdefgh", min_size=1, max_size=4)
ENTRIES = st.dictionaries(KEY, TEXT, min_size=1, max_size=5)
Draw = Callable[[Any], Any]


def write_json(draw: Draw, entries: dict[str, str]) -> str:
    ascii_only, indent = draw(st.booleans()), draw(st.sampled_from([None, 2, "\t"]))
    data: Any = {"list": [1.50, True, None], "app": entries}
    return json.dumps(data, ensure_ascii=ascii_only, indent=indent).replace("/", draw(st.sampled_from(["/", "\\/"])))


def write_yaml(draw: Draw, entries: dict[str, str]) -> str:
    style, width = draw(st.sampled_from([None, "'", '"', "|", ">"])), draw(st.sampled_from([20, 80]))
    flow, unicode = draw(st.booleans()), draw(st.booleans())
    data = {"app": entries, "other": [1, True, "two"]}
    body = yaml.safe_dump(data, default_style=style, width=width, default_flow_style=flow, allow_unicode=unicode)
    return f"# a comment: here\n{body}# and: here\n"


def write_properties(draw: Draw, entries: dict[str, str]) -> str:
    lines = ["# comment = no value", "", "  ! another"]
    for key, text in entries.items():
        written = text.replace("\\", "\\\\")
        if draw(st.booleans()):
            written = "".join(c if c.isascii() else json.dumps(c)[1:-1] for c in written)
        if draw(st.booleans()):
            written = written.replace(" ", " \\\n      ", 1)
        lines.append(f"{key}{draw(st.sampled_from(['=', ' = ', ': ', ' :']))}{written}")
    return "\n".join(lines) + draw(st.sampled_from(["", "\n"]))


def write_po(draw: Draw, entries: dict[str, str]) -> str:
    file = polib.POFile(wrapwidth=draw(st.sampled_from([20, 78])))
    file.metadata = {"Language": "en", "Content-Type": "text/plain; charset=UTF-8"}
    for key, text in entries.items():
        more = {"msgctxt": draw(st.sampled_from([None, "menu"])), "comment": draw(st.sampled_from(["", 'msgstr "no"']))}
        if draw(st.booleans()):
            file.append(
                polib.POEntry(msgid=key, msgid_plural=f"{key}s", msgstr_plural={0: text, 1: f"{text} all"}, **more)
            )
        else:
            file.append(polib.POEntry(msgid=key, msgstr=text, obsolete=draw(st.booleans()), **more))
    return str(file)


def write_xliff(draw: Draw, entries: dict[str, str]) -> str:
    units = []
    for key, text in entries.items():
        written = escape(text)
        if draw(st.booleans()):
            written = "".join(c if c.isascii() else f"&#{ord(c)};" for c in written)
        if draw(st.booleans()):
            written = f"<![CDATA[{text}]]>"
        units.append(
            f"<trans-unit id={quoteattr(key)}>\n<source>{escape(text)}</source>\n<target >{written}</target>"
            f"<!-- é <target>no</target> --><alt-trans><target>no</target></alt-trans></trans-unit>"
        )
    body = "\n".join(units)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">'
        f'<file source-language="de" target-language="en"><body>{body}</body></file></xliff>\n'
    )


def write_csv(draw: Draw, entries: dict[str, str]) -> str:
    stream = io.StringIO(newline="")
    quoting = draw(st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
    writer = csv.writer(stream, delimiter=draw(st.sampled_from(",;\t")), quoting=quoting, lineterminator="\n")
    writer.writerow(["id", "a title", "note"])
    writer.writerows([key, text, 'two\nlines, ""; here'] for key, text in entries.items())
    return stream.getvalue()


def write_txt(draw: Draw, entries: dict[str, str]) -> str:
    return next(iter(entries.values())) + draw(st.sampled_from(["", "\n"]))


WRITERS = {
    ".json": write_json, ".yaml": write_yaml, ".properties": write_properties, ".po": write_po, ".xlf": write_xliff,
    ".csv": write_csv, ".txt": write_txt,
}  # fmt: skip


def read(path: Path, data: bytes) -> Document:
    path.write_bytes(data)
    return Document.read(path)


def outside(text: str, values: list[Value]) -> list[str]:
    """What stands between the spans of some values."""
    ends = [0, *(value.end for value in values)]
    starts = [*(value.start for value in values), len(text)]
    return [text[end:start] for end, start in zip(ends, starts, strict=True)]


def test_every_format_is_drawn() -> None:
    assert {FORMATS[suffix] for suffix in WRITERS} == set(FORMATS.values())


@pytest.mark.parametrize("suffix", WRITERS)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_only_the_values_that_are_changed_change(suffix: str, tmp_path: Path, data: st.DataObject) -> None:
    entries = data.draw(ENTRIES)
    text = WRITERS[suffix](data.draw, entries)
    if data.draw(st.booleans(), "CRLF"):
        text = text.replace("\n", "\r\n")
    mark = data.draw(st.sampled_from([b"", codecs.BOM_UTF8]))
    encoding = "utf-8"
    if suffix != ".xlf" and data.draw(st.booleans(), "UTF-16"):
        mark, encoding = codecs.BOM_UTF16_LE, "utf-16-le"
    document = read(tmp_path / f"file{suffix}", mark + text.encode(encoding))
    assert document.text == text
    assert document.rewritten({}) == document.path.read_bytes()

    long = [value for value in document.values if len(value.text.split()) > 1]
    chosen = data.draw(st.lists(st.sampled_from(long), unique_by=lambda value: value.start)) if long else []
    chosen.sort(key=lambda value: value.start)
    new = {value: data.draw(shorter(value.text)) for value in chosen}
    written = document.rewritten(new)  # parses again with the format's library
    again = read(document.path, written)
    assert [value.text for value in again.values] == [new.get(value, value.text) for value in document.values]
    assert [value.names for value in again.values] == [value.names for value in document.values]
    changed = [value for value, old in zip(again.values, document.values, strict=True) if old in new]
    assert outside(again.text, changed) == outside(text, chosen)
    assert written.startswith(mark)


def shorter(text: str) -> st.SearchStrategy[str]:
    """Some of the words, with the white space around them all."""
    words = text.split()
    core = text.strip()
    before, after = text[: text.index(core)], text[text.index(core) + len(core) :]
    kept = st.lists(st.booleans(), min_size=len(words), max_size=len(words)).filter(
        lambda mask: 0 < sum(mask) < len(mask)
    )
    return kept.map(lambda mask: before + " ".join(w for w, keep in zip(words, mask, strict=True) if keep) + after)


ODD = {
    "one.json": (
        r'{"a" :"caf\u00e9 \ud83d\ude00 \/ now", "a": "again", "l":[{"t":"x y"}], "e":{}, "n":-1.0e5}',
        ["a", "a", "l.0.t"],
    ),
    "two.yaml": (
        "a: &x 'it''s  here'\nb: *x\nc: !!str 12 3\nd: |2-\n   two\n    lines\n\ne: >\n  fol\n  ded\n\n# end\n",
        ["a", "c", "d", "e"],
    ),
    "three.properties": (
        "a.b=1 \\\n   # two\nc\\ d : \\ x\\u00e9\\ty\n=no key\nlast\\",
        ["a.b", "c d", "", "last"],
    ),
    "four.po": (
        'msgid ""\nmsgstr "Language: de\\n"\n\n#~ msgid "o"\n#~ msgstr "p"\n\n'
        'msgid ""\n"a"\nmsgstr ""\n"b \\"c\\" "\n"d"\n',
        ["a"],
    ),
    "five.xliff": (
        '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="fr"><file id="f">'
        '<unit id="1" name="é > title"><segment><target>A &lt; B&#xe9;</target></segment><segment><source>no</source>'
        "<target/></segment></unit></file></xliff>",
        ["é > title"],
    ),
    "six.csv": ('id;text\n1;"a ""b"" c"\n\n2;d e\n3', ["1.id", "1.text", "2.id", "2.text", "3.id"]),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_files(name: str, tmp_path: Path) -> None:
    text, names = ODD[name]
    document = read(tmp_path / name, text.encode())
    assert [value.names[-1] for value in document.values] == names
    for i, value in enumerate(document.values):
        core = value.text.strip()
        new = value.text.replace(core, core.split()[0]) if core else ""
        if new != value.text:
            assert read(document.path, document.rewritten({value: new})).values[i].text == new


def test_texts_are_decoded_and_keep_their_escapes(tmp_path: Path) -> None:
    document = read(tmp_path / "a.json", ODD["one.json"][0].encode())
    value = document.values[0]
    assert value.text == "café 😀 / now"
    assert document.rewritten({value: "café 😀 /"}) == ODD["one.json"][0].replace(" now", "").encode()
    document = read(tmp_path / "a.properties", b"a = caf\xe9 \\u015f now\n")  # Latin-1
    assert document.rewritten({document.values[0]: "café Ş ş"}) == b"a = caf\xe9 \\u015e \\u015f\n"
    document = read(tmp_path / "a.xlf", ODD["five.xliff"][0].encode())
    assert (document.values[0].text, document.values[0].language) == ("A < Bé", "fr")
    assert b"<target>&lt; B&#xe9;</target>" in document.rewritten({document.values[0]: "< Bé"})


def test_a_plain_scalar_that_would_mean_something_else_is_quoted(tmp_path: Path) -> None:
    document = read(tmp_path / "a.yaml", b"answer: no way, man # why\n")
    assert document.rewritten({document.values[0]: "no"}) == b"answer: 'no' # why\n"
    assert document.rewritten({document.values[0]: "no, man"}) == b"answer: no, man # why\n"


def test_inline_elements_are_measured_by_their_text_and_fixed(tmp_path: Path) -> None:
    unit = '<trans-unit id="a"><target>one <x id="1"/>two</target></trans-unit>'
    (value,) = read(tmp_path / "a.xlf", f"<xliff>{unit}</xliff>".encode()).values
    assert value.text == "one two"
    assert value.fixed
    (unnamed,) = read(tmp_path / "a.xlf", b"<xliff><unit><segment><target>one</target></segment></unit></xliff>").values
    assert unnamed.names == ("",)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", b'{"a": 1,}'), ("a.json", b"[" * 100_000), ("a.json", b'"\xff"'), ("a.yaml", b"a: [1"),
        ("a.yaml", b"a: \x07"), ("a.yaml", b"[" * 5_000), ("a.yaml", b"- " * 5_000), ("a.po", b"no po at all"),
        ("a.xlf", b"<a><b></a>"), ("a.csv", b'a,b\n"x" y,2\n'), ("a.csv", b'a,b\n"x'),
        ("a.xlf", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), ("a.docx", b"x"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_one_line_with_the_name(name: str, data: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=name) as raised:
        read(tmp_path / name, data)
    assert "\n" not in str(raised.value)


def test_nothing_is_written_if_more_would_change(tmp_path: Path) -> None:
    document = read(tmp_path / "a.json", b'{"a": "one two", "b": "c"}')
    value = document.values[0]
    broken = Value(value.start, value.end, value.text, value.names)  # its texts are written without escapes
    with pytest.raises(InputError, match="not written"):
        document.rewritten({broken: 'one", "x": "two'})
    assert replaced(document.text, {broken: "one"}) == '{"a": "one", "b": "c"}'


@pytest.mark.parametrize("anchor", ["&x", "&x !!str"])
def test_yaml_anchors_and_tags_stay(anchor: str, tmp_path: Path) -> None:
    document = read(tmp_path / "a.yaml", f"a: {anchor} one two\nb: *x\n".encode())
    assert document.rewritten({document.values[0]: "one"}) == f"a: {anchor} one\nb: *x\n".encode()


def test_texts_of_fastlane_are_named_by_their_folder(tmp_path: Path) -> None:
    folder = tmp_path / "metadata" / "android" / "de-DE" / "changelogs"
    folder.mkdir(parents=True)
    (value,) = read(folder / "12.txt", b"Neu\n").values
    assert value.names == ("12", "changelogs.12", "de-DE.changelogs.12", "android.de-DE.changelogs.12")
    assert value.language == "de-DE"
    (alone,) = read(tmp_path / "usr.txt", b"x").values
    assert (alone.names, alone.language) == (("usr",), None)
