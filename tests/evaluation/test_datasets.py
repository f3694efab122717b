from __future__ import annotations

from pathlib import Path

import pytest

from tersely.errors import FileError, InputError
from tersely.evaluation.datasets import Dataset, Example, read_dataset


def folder(path: Path, **files: str | bytes) -> Path:
    for name, content in files.items():
        raw = content if isinstance(content, bytes) else content.encode()
        (path / f"{name}.txt").write_bytes(raw)
    return path


def test_headline_layout_with_references_by_number(tmp_path: Path) -> None:
    folder(tmp_path, input="a b\nc d\n", **{f"task1_ref{i}": f"a{i}\nc{i}\n" for i in range(11)})
    dataset = read_dataset(tmp_path)
    assert (dataset.name, dataset.sources, dataset.n_references) == (tmp_path.name, ["a b", "c d"], 11)
    assert dataset.examples[1].references == tuple(f"c{i}" for i in range(11))  # 2 comes before 10


def test_jsonl(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"text": "a b", "summaries": ["a", "b"]}\n{"text": "c d", "summary": "c"}\n')
    dataset = read_dataset(path)
    assert dataset.examples == (Example("a b", ("a", "b")), Example("c d", ("c",)))
    assert dataset.n_references == "1-2"
    assert read_dataset(tmp_path).examples == dataset.examples  # a folder with that one file


def test_tsv(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"a b\ta\tb\r\nc d\tc\r\n")
    assert read_dataset(path).examples == (Example("a b", ("a", "b")), Example("c d", ("c",)))


def test_a_slice_remembers_what_it_left_out() -> None:
    part = Dataset("toy", tuple(Example(text, ("x",)) for text in "abcd")).slice(1, 2)
    assert (part.sources, part.n_skipped, part.n_cut) == (["b", "c"], 1, 1)
    part = part.slice(1)
    assert (part.sources, part.n_skipped, part.n_cut) == (["c"], 2, 1)
    with pytest.raises(InputError, match="at least 1"):
        part.slice(limit=0)


def test_a_part_is_read_as_the_whole() -> None:
    sources = ("shares fell", "he said , shares fell .", "no ! oh .")
    whole = Dataset("toy", tuple(Example(source, ("x",)) for source in sources))
    assert whole.is_pretokenized
    assert whole.slice(limit=1).is_pretokenized
    assert [token.text for token in whole.slice(limit=1).tokens("did n't")] == ["did", "n't"]
    assert Dataset("raw", (Example("Cuba's shares fell.", ("x",)),)).words("CUBA's, fell!") == ["cuba's", "fell"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"input": "a\nb\n", "task1_ref0": "a\n"}, "task1_ref0.txt has 1 lines.*2: there is no pair for line 2"),
        ({"input": "a\nb\n", "task1_ref0": "a\n \n"}, "task1_ref0.txt, line 2: empty reference"),
        ({"input": "a\n\nc\n", "task1_ref0": "a\nb\nc\n"}, "input.txt, line 2: empty source"),
        ({"input": b"a\ncaf\xe9\n", "task1_ref0": "a\nb\n"}, "input.txt, line 2: not valid UTF-8 .byte 4"),
        ({"input": "a\n"}, "no references: expected task1_ref0.txt"),
        ({"input": "a\n", "task1_ref1": "a\n"}, "lacks task1_ref0.txt"),
        ({"input": "", "task1_ref0": ""}, "input.txt is empty"),
        ({}, "expected a folder with input.txt"),
    ],
)
def test_a_wrong_folder_is_refused_with_file_and_line(
    tmp_path: Path, files: dict[str, str | bytes], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_dataset(folder(tmp_path, **files))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.jsonl", '{"text": "a", "summaries": ["a"]}\n{oops\n', "x.jsonl, line 2: not JSON"),
        ("x.jsonl", '{"summaries": ["a"]}\n', 'line 1: expected an object with "text"'),
        ("x.jsonl", '["a"]\n', "line 1: expected an object"),
        ("x.jsonl", "[" * 100_000, "line 1: JSON that is nested too deeply"),
        ("x.jsonl", "9" * 5_000, "line 1: .* or has too long a number"),
        ("x.jsonl", '{"text": "a", "summaries": []}\n', "line 1: .summaries. must be a list"),
        ("x.jsonl", '{"text": "a", "summaries": ["a", 3]}\n', "line 1: .summaries. must be a list"),
        ("x.jsonl", '{"text": "a", "summaries": ["a", ""]}\n', "line 1: empty reference"),
        ("x.tsv", "a\tb\nno tab\n", "x.tsv, line 2: .*no tab"),
        ("x.tsv", "a\tb\t\n", "x.tsv, line 1: empty reference"),
        ("x.tsv", "", "x.tsv is empty"),
        ("x.csv", "a,b\n", "not a dataset"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message):
        read_dataset(tmp_path / name)


def test_a_missing_path_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        read_dataset(tmp_path / "nowhere")


def test_a_folder_of_datasets_names_them(tmp_path: Path) -> None:
    for name in ("gigaword", "duc2003"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "input.txt").write_text("a b .\n")
    with pytest.raises(InputError, match="one of its folders, duc2003, gigaword"):
        read_dataset(tmp_path)
