from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tree_toys import SENTENCES, rows, write_trees

from tersely.errors import FileError, InputError
from tersely.training.treebank import hold_out, joined, read_treebank, read_trees, unended

ROW = "{}\t{}\t_\t_\t_\t_\t{}\t{}\t_\t_\n"


def test_trees_are_read_as_they_are(tmp_path: Path) -> None:
    trees = list(read_trees(write_trees(tmp_path / "toy.conllu")))
    assert len(trees) == len(SENTENCES)
    assert trees[4].forms == ("Call", "me", "back", "!")
    assert trees[4].heads == (0, 0, 0, 0)  # the root's head is the root
    assert trees[4].relations == ("root", "obj", "advmod", "punct")


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
        ("1\tShips\t2\tnsubj\n", "line 1: CoNLL-U has 10 columns .* has 4"),
        (rows(SENTENCES[4]) + ROW.format(1, "Go", "_", "root"), "line 6: the head must be a number, it is '_'"),
        (ROW.format(1, "Go", 7, "root") + "\n", "line 1: token 1 .* cannot have the head 7"),
        (ROW.format(1, "Go", 1, "root") + "\n", "line 1: token 1 .* cannot have the head 1"),
        (ROW.format(2, "Go", 0, "root") + "\n", "line 1: token 1 .* has the number '2'"),
    ],
)
def test_a_damaged_file_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "toy.conllu"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=rf"toy\.conllu, {message}"):
        list(read_trees(path))


def test_a_file_that_cannot_be_read_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="No such file"):
        list(read_trees(tmp_path / "none.conllu.xz"))
    path = tmp_path / "toy.conllu"
    path.write_bytes(b"\xff\xfe is no text")
    with pytest.raises(InputError, match=r"toy\.conllu, line 1: not UTF-8"):
        list(read_trees(path))


def test_sentences_are_joined_and_full_stops_left_out(tmp_path: Path) -> None:
    trees = read_treebank([write_trees(tmp_path / "toy.conllu")])
    both = joined(trees[0], trees[4])
    assert both.forms == trees[0].forms + trees[4].forms
    assert [i for i, head in enumerate(both.heads) if i == head] == [2, 7]
    assert unended(trees[4]).forms == ("Call", "me", "back")
    assert unended(trees[3]) == trees[3]
    wrong = replace(trees[4], heads=(0, 3, 0, 0))
    assert unended(wrong).heads == (0, 1, 0)


def test_a_tenth_is_held_out_at_most(tmp_path: Path) -> None:
    trees = read_treebank([write_trees(tmp_path / "toy.conllu")])
    many = [replace(trees[0], forms=(str(i), *trees[0].forms[1:])) for i in range(40)]
    rest, held_out = hold_out(many, 1_000)
    assert (len(rest), len(held_out)) == (36, 4)
    assert hold_out(trees, 1_000) == (trees, [])


def test_a_sentence_counts_once_and_a_file_without_any_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "twice.conllu"
    path.write_text(2 * rows(SENTENCES[0]), encoding="utf-8")
    assert len(read_treebank([path])) == 1
    path.write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(InputError, match="no sentence"):
        read_treebank([path])
