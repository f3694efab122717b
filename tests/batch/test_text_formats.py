"""Rows from and to text: what is kept, errors of single rows, and errors that stop the run."""

from __future__ import annotations

import io

import pytest

from tersely.batch import text_formats
from tersely.batch.formats import FORMATS
from tersely.batch.row_blocks import Outcome, RowBlock, TableSettings
from tersely.batch.text_formats import TextWriter, check_header, encode_lines, encode_separated
from tersely.errors import InputError


def read(name: str, content: bytes, **settings: object) -> tuple[list[str], list[tuple[dict[str, object], str]]]:
    reader = FORMATS[name].reader(io.BytesIO(content), "in", TableSettings(**settings))  # type: ignore[arg-type]
    block = reader.read(1000)
    texts = [f"! {str(text).partition(': ')[0]}" if isinstance(text, InputError) else text for text in block.texts]
    return reader.columns, list(zip(block.rows(), texts, strict=True))


def texts(name: str, content: bytes, **settings: object) -> list[str]:
    return [text for _, text in read(name, content, **settings)[1]]


def test_lines() -> None:
    content = "\ufeffship one\r\n\nZoë\u2028b\n".encode() + b"b\xffd\nlast"
    assert texts("txt", content) == ["ship one", "", "Zoë\u2028b", "! not valid UTF-8 (byte 2)", "last"]
    assert read("txt", b"ship\n", column="t") == (["t"], [({"t": "ship"}, "ship")])


def test_csv() -> None:
    content = b'id,text\r\n007,"a, ""b""\r\nc"\r\n\r\n8\r\n9,x,y\r\n,\r\n'
    columns, rows = read("csv", content)
    assert columns == ["id", "text"]
    assert rows == [
        ({"id": "007", "text": 'a, "b"\r\nc'}, 'a, "b"\r\nc'),
        ({"id": "8", "text": None}, "! the cell is null"),
        ({"id": "9", "text": "x"}, "! the row has 3 cells and the header 2"),
        ({"id": "", "text": ""}, ""),
    ]


def test_a_bad_line_in_csv_is_one_bad_row() -> None:
    columns, rows = read("csv", b'text,n\nship,1\n"b\xffd\nmore",2\nca\rb,3\nship,4\n')
    assert columns == ["text", "n"]
    assert [text for _, text in rows][:2] == ["ship", "! not valid UTF-8 (byte 3)"]
    assert rows[1][0] == {"text": "b\udcffd\nmore", "n": "2"}
    assert rows[2] == ({"text": "ca\rb", "n": "3"}, "ca\rb")
    assert rows[3:] == [({"text": "ship", "n": "4"}, "ship")]


def test_tsv_and_quotes() -> None:
    content = b'text\tn\n"quoted\ttab"\t1\nsay "hi"\t2\n'
    assert texts("tsv", content) == ["quoted\ttab", 'say "hi"']
    assert texts("tsv", b'text\tn\n"open\t1\nsay "hi"\t2\n', quotes=False) == ['"open', 'say "hi"']


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\n\n", "the file is empty"),
        (b"a,b\n1,2\n", "there is no column 'text': set --column to one of a, b"),
        (b"text,a,a\n", "two columns are called 'a'"),
        (b"text,\xff\n", "the header cannot be read: not valid UTF-8"),
        (b'text,n\nship,1\n"open,2\nship,3\n', "a quote is open at line 4 and never closed: --no-quotes"),
    ],
)
def test_what_makes_all_rows_doubtful_stops(content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read("csv", content)


def test_very_many_columns() -> None:
    """If every name were compared with all others, this would take minutes."""
    header = ",".join(["text", *map(str, range(100_000))])
    assert read("csv", f"{header}\nship\n".encode())


def test_an_open_quote_does_not_read_a_whole_file(monkeypatch: pytest.MonkeyPatch) -> None:
    import csv

    before = csv.field_size_limit()
    try:
        csv.field_size_limit(100)
        monkeypatch.setattr(text_formats, "MAX_LINE_CHARS", 100)
        with pytest.raises(InputError, match=r"a quote is open at line \d\d? and"):
            read("csv", b'text\nship\n"open\n' + b"ship ran\n" * 1000)
    finally:
        csv.field_size_limit(before)


def test_jsonl() -> None:
    lines = [
        b'{"id": 1, "text": "ship", "more": {"a": [1, null]}}', b"", b'{"text": null}', b'{"text": 5}', b'{"id": 2}',
        b"[1]", b"{no", b'{"text": "b\xffd", "id": 3}', b'{"text": "\\ud800"}', b"[" * 100_000,
    ]  # fmt: skip
    columns, rows = read("jsonl", b"\n".join(lines))
    assert columns == ["id", "text", "more"]
    assert [text for _, text in rows] == [
        "ship", "! the cell is null", "! the cell has type int", "! the row has no 'text'",
        "! the line is not a JSON object", "! the line is not JSON", "! not valid UTF-8 (byte 12)",
        "! the text is not valid Unicode", "! the line is not JSON",
    ]  # fmt: skip
    assert rows[0][0] == {"id": 1, "text": "ship", "more": {"a": [1, None]}}
    assert rows[6][0] == {"text": "b\udcffd", "id": 3}


def test_a_line_that_is_too_long_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_formats, "MAX_LINE_CHARS", 20)
    long = b"x" * 95 + b"\n"
    for name, content in (("txt", b"ship\n" + long + b"end"), ("csv", b"text\nship\n" + long + b"end")):
        first, bad, last = texts(name, content)
        assert (first, bad[:28], last) == ("ship", "! the line has more than 20 ", "end")
    first, bad, last = texts("jsonl", b'{"text": "a"}\n' + long + b'{"text": "b"}')
    assert (first, bad[:28], last) == ("a", "! the line has more than 20 ", "b")


def write(name: str, rows: list[dict[str, object]], columns: list[str], **settings: object) -> str:
    """The rows as a file without a header. The new cells are `columns`, and no others."""
    encode = FORMATS[name].writer.args[0]  # type: ignore[attr-defined]
    block = RowBlock("in", 1, [""] * len(rows), [{}] * len(rows))
    return encode(block, rows, columns, TableSettings(**settings))  # type: ignore[no-any-return, arg-type]


def test_writing() -> None:
    rows: list[dict[str, object]] = [{"a": 'x, "y"', "b": None}, {"a": [1, "é"], "b": True}, {"a": 1.5}]
    assert write("csv", rows, ["a", "b"]) == '"x, ""y""",\n"[1, ""é""]",true\n1.5,\n'
    assert write("tsv", rows, ["a", "b"]) == '"x, ""y"""\t\n"[1, ""é""]"\ttrue\n1.5\t\n'
    assert write("jsonl", rows, []) == '{"a": "x, \\"y\\"", "b": null}\n{"a": [1, "é"], "b": true}\n{"a": 1.5}\n'
    assert write("txt", [{"s": "one"}, {"s": None}], ["s"]) == "one\n\n"
    assert write("tsv", [{"a": 'say "hi"\tyou\nthere'}], ["a"], quotes=False) == 'say "hi" you there\n'
    assert write("jsonl", [{"a": "\ud800é"}], []) == '{"a": "\\ud800\\u00e9"}\n'


def test_csv_survives_the_round_trip() -> None:
    cells = [{"text": text, "n": "1"} for text in ("", " a ", 'b"', "c,d", "e\nf", "g\r\nh", "'i'", "\u2028")]
    _, rows = read("csv", b"text,n\n" + write("csv", cells, ["text", "n"]).encode())  # type: ignore[arg-type]
    assert [row for row, _ in rows] == cells


def test_a_column_that_the_header_does_not_have() -> None:
    writer = FORMATS["csv"].writer(TableSettings())
    with pytest.raises(InputError, match="in has a column 'new' that the header lacks"):
        writer.add(RowBlock("in", 1, ["", ""], [{"a": 1}, {"a": 1, "new": 2}], ["a"]), [Outcome(), Outcome()])


def test_a_carriage_return_is_kept() -> None:
    settings = TableSettings()
    columns, rows = read("csv", b'text,n\r\na\rb,1\r\n"a\r",2\r\n')
    assert rows == [({"text": "a\rb", "n": "1"}, "a\rb"), ({"text": "a\r", "n": "2"}, "a\r")]
    block = RowBlock("in", 1, ["", ""], [cells for cells, _ in rows], columns)
    written = encode_separated(",", block, [{}, {}], columns, settings)
    assert written == '"a\rb",1\n"a\r",2\n'
    with pytest.raises(InputError, match="carriage return"):
        read("csv", b"text,n\ra,1\r")


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_half_a_pair_leaves_other_invalid_bytes_as_they_were(encoding: str) -> None:
    writer = TextWriter(encode_lines, False, False, TableSettings(encoding=encoding))
    writer.add(RowBlock("in", 1, ["", ""], []), [Outcome("\udcff a"), Outcome("b \ud800 c")])
    assert writer.take() == b"\xff a\nb ? c\n"


def test_columns_are_looked_up_once_each() -> None:
    compared = 0

    class Name(str):
        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return str(self) == other

        __hash__ = str.__hash__

    names = [Name(number) for number in range(1000)]
    check_header(names, [str(number) for number in range(1000)], "in.csv")
    assert compared < 3000
