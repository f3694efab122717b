from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest
from tree_toys import SENTENCES, rows, write_trees

from tersely.errors import FileError, InputError, TerselyError
from tersely.training.conllu import read_trees

ROW = "{}\t{}\t_\t_\t_\t_\t{}\t{}\t_\t_\n"


def test_trees_are_read_as_they_are(tmp_path: Path) -> None:
    trees = list(read_trees(write_trees(tmp_path / "toy.conllu")))
    assert len(trees) == len(SENTENCES)
    assert trees[4].forms == ("Call", "me", "back", "!")
    assert trees[4].heads == (0, 0, 0, 0)  # the root's head is the root
    assert trees[4].relations == ("root", "obj", "advmod", "punct")


@pytest.mark.parametrize(("suffix", "opener"), [("xz", lzma.open), ("gz", gzip.open)])
def test_compressed_trees_are_the_same(tmp_path: Path, suffix: str, opener: object) -> None:
    plain = write_trees(tmp_path / "toy.conllu")
    packed = tmp_path / f"toy.conllu.{suffix}"
    with opener(packed, "wb") as stream:  # type: ignore[operator]
        stream.write(plain.read_bytes())
    assert list(read_trees(packed)) == list(read_trees(plain))


def test_comments_multiword_tokens_and_empty_nodes_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "toy.conllu"
    path.write_text(
        "# text = We can't\r\n"
        + ROW.format(1, "We", 2, "nsubj")
        + ROW.format("2-3", "can't", "_", "_")
        + ROW.format(2, "can", 0, "root")
        + ROW.format("2.1", "go", "_", "_")
        + ROW.format(3, "not", 2, "advmod"),  # and no empty line at the end
        encoding="utf-8",
    )
    (tree,) = read_trees(path)
    assert (tree.forms, tree.heads) == (("We", "can", "not"), (1, 1, 1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\tShips\t2\tnsubj\n", "line 1: CoNLL-U has 10 columns with tabs between them, this line has 4"),
        (rows(SENTENCES[4]) + ROW.format(1, "Go", "_", "root"), "line 6: the head must be a number, it is '_'"),
        (ROW.format(1, "Go", 7, "root") + "\n", "line 1: token 1 of this sentence cannot have the head 7 of 1"),
        (ROW.format(1, "Go", 1, "root") + "\n", "line 1: token 1 of this sentence cannot have the head 1 of 1"),
        (ROW.format(2, "Go", 0, "root") + "\n", "line 1: token 1 of this sentence has the number '2'"),
    ],
)
def test_a_damaged_file_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "toy.conllu"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        list(read_trees(path))
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["toy.conllu.xz", "toy.conllu.gz", "toy.conllu"])
def test_a_file_that_cannot_be_read_is_one_clear_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with pytest.raises(FileError, match="No such file"):
        list(read_trees(path))
    path.write_bytes(b"\xff\xfe neither text nor compressed")
    with pytest.raises(TerselyError) as caught:
        list(read_trees(path))
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
