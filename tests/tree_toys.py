"""Invented sentences with their trees: in CoNLL-U, and as a parser that is sure of each word gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from english import ENGLISH

from tersely.sentence.labels import LABELS
from tersely.sentence.sentence import Sentence
from tersely.sentence.tree import Tree
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import Word, tokenize

# form/head/relation, heads counted from 1, 0 for the root
SENTENCES = [
    "The/2/det ship/3/nsubj sank/0/root near/6/case the/6/det port/3/obl ./3/punct",
    "Anna/2/nsubj said/0/root the/4/det crew/6/nsubj:pass was/6/aux:pass saved/2/ccomp ./2/punct",
    "Did/4/aux n't/4/advmod they/4/nsubj call/0/root the/6/det captain/4/obj ?/4/punct",
    "Cuba/3/nmod:poss 's/1/case captain/4/nsubj lost/0/root his/6/nmod:poss ship/4/obj and/8/cc crew/6/conj",
    "Call/0/root me/1/obj back/1/advmod !/1/punct",
    "The/3/det old/3/amod port/7/nsubj is/7/cop not/7/advmod a/7/det town/0/root ./7/punct",
    "Two/2/nummod ships/3/nsubj left/0/root the/5/det port/3/obj ,/7/punct said/3/parataxis Anna/7/nsubj",
    "they/3/nsubj were/3/cop happy/0/root to/5/mark see/3/xcomp the/7/det town/5/obj",
]


def rows(sentence: str) -> str:
    """A sentence in CoNLL-U."""
    lines = []
    for i, token in enumerate(sentence.split(), 1):
        form, head, relation = token.split("/")
        lines.append(f"{i}\t{form}\t_\t_\t_\t_\t{head}\t{relation}\t_\t_\n")
    return "".join(lines) + "\n"


def write_trees(path: Path, sentences: Sequence[str] = SENTENCES) -> Path:
    """A file of trees, the invented ones above or others."""
    path.write_text("".join(map(rows, sentences)), encoding="utf-8")
    return path


@dataclass(frozen=True)
class FixedParser:
    """A parser that knows one tree."""

    tree: Tree

    def parse(self, words: Sequence[Word]) -> Tree:
        assert len(words) == len(self.tree)
        return self.tree


def tree_of(heads: Sequence[int], labels: Sequence[str]) -> Tree:
    """The tree of a parser that is sure of every head, counted from 0, and label; a root is its own head."""
    above, numbers = np.array(heads), np.array([LABELS.index(label) for label in labels])
    certain = np.eye(len(above), dtype=np.float32)[above], np.eye(len(LABELS), dtype=np.float32)[numbers]
    return Tree(above, numbers, *certain, states=np.zeros((len(above), 1), dtype=np.float32))


def parsed(text: str) -> Sentence:
    """An English sentence with its tree: each word with its head and its label."""
    rows = [row.split() for row in text.split("|")]
    tree = tree_of([int(row[1]) for row in rows], [row[2] for row in rows])
    tokens = tokenize(" ".join(row[0] for row in rows), pretokenized=True)
    return Sentence.of(tokens, Vocabulary.of(["police"]), FixedParser(tree), ENGLISH)
