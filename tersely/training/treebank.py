"""Training: reads dependency trees in CoNLL-U, makes variants of them, and compares a parser with them.

CoNLL-U is the format of every Universal Dependencies treebank: ten columns a token, an empty line after each sentence.
Lines for multiword tokens ("3-4") and empty nodes ("5.1") are skipped: their parts have lines of their own, or are not
in the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from sys import intern

import numpy as np

from tersely.errors import InputError
from tersely.sentence.labels import PUNCTUATION, coarse
from tersely.sentence.lexicon import Lexicon, normal_form
from tersely.sentence.parser import Parser
from tersely.system.files import iter_byte_lines
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import Word, is_punctuation
from tersely.training.shortenings import token_words

LONGEST = 100  # a longer sentence is a list or a table, and costs the square of its length
MAX_MARKS = 64  # kinds of punctuation marks in a lexicon
_N_COLUMNS = 10
_ID, _FORM, _HEAD, _RELATION = 0, 1, 6, 7


@dataclass(frozen=True, slots=True)
class TreebankSentence:
    """A sentence with its tree: the position of each token's head (the root's is its own) and its relation to it."""

    forms: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]

    @property
    def words(self) -> list[Word]:
        return token_words(self.forms)


def read_trees(path: Path) -> Iterator[TreebankSentence]:
    """The sentences of a file in CoNLL-U, plain or compressed as `.gz` or `.xz`.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "toy.conllu"
    >>> row = "{}\\t{}\\t_\\t_\\t_\\t_\\t{}\\t{}\\t_\\t_"
    >>> _ = path.write_text("\\n".join([row.format(1, "Ships", 2, "nsubj"), row.format(2, "sank", 0, "root"), ""]))
    >>> next(read_trees(path))
    TreebankSentence(forms=('Ships', 'sank'), heads=(1, 1), relations=('nsubj', 'root'))
    """
    rows: list[list[str]] = []
    number = 0
    for number, line in enumerate(iter_byte_lines(path), 1):
        try:
            text = line.decode().rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise InputError(f"{path}, line {number}: not UTF-8 ({error.reason})") from None
        if text.startswith("#"):
            continue
        if text.strip():
            row = _row(text, f"{path}, line {number}")
            if row is not None:
                rows.append(row)
        elif rows:
            yield _sentence(rows, f"{path}, line {number - len(rows)}")
            rows = []
    if rows:
        yield _sentence(rows, f"{path}, line {number - len(rows) + 1}")


def _row(text: str, location: str) -> list[str] | None:
    """The columns of a token; nothing for a multiword token or an empty node."""
    row = text.split("\t")
    if len(row) != _N_COLUMNS:
        raise InputError(
            f"{location}: CoNLL-U has {_N_COLUMNS} columns with tabs between them, this line has {len(row)}"
        )
    if "-" in row[_ID] or "." in row[_ID]:
        return None
    if not row[_HEAD].isdecimal():
        raise InputError(f"{location}: the head must be a number, it is {row[_HEAD]!r}: give a treebank with trees")
    return row


def _sentence(rows: list[list[str]], location: str) -> TreebankSentence:
    heads = []
    for i, row in enumerate(rows):
        head = int(row[_HEAD])
        if row[_ID] != str(i + 1):
            raise InputError(f"{location}: token {i + 1} of this sentence has the number {row[_ID]!r}")
        if head > len(rows) or head == i + 1:
            raise InputError(f"{location}: token {i + 1} of this sentence cannot have the head {head} of {len(rows)}")
        heads.append(head - 1 if head else i)
    # Interned: a treebank of ten million tokens has a few hundred thousand different ones.
    forms, relations = (tuple(intern(row[column]) for row in rows) for column in (_FORM, _RELATION))
    return TreebankSentence(forms, tuple(heads), relations)


Trees = list[TreebankSentence]


def read_treebank(paths: Sequence[Path]) -> Trees:
    """The trees of several files. Repeated sentences are left out, so that none is also held out."""
    found: dict[tuple[str, ...], TreebankSentence] = {}
    for path in paths:
        for tree in read_trees(path):
            if 2 <= len(tree.forms) <= LONGEST:
                found.setdefault(tree.forms, tree)
    if not found:
        raise InputError(f"no sentence of 2 to {LONGEST} tokens in {', '.join(map(str, paths))}: give a treebank")
    return list(found.values())


def hold_out(trees: Trees, most: int) -> tuple[Trees, Trees]:
    """The trees to learn from, and those that are held out: at most a tenth, from all parts of the treebank."""
    held = set(np.linspace(0, len(trees) - 1, min(most, len(trees) // 10), dtype=np.int64).tolist())
    return [t for i, t in enumerate(trees) if i not in held], [t for i, t in enumerate(trees) if i in held]


def learn_lexicon(trees: Trees, vocabulary: Vocabulary, *, n_shared: int, n_extra: int) -> Lexicon:
    """The lexicon for these trees: their frequent pieces that are not among the first pieces of the vocabulary."""
    marks: Counter[str] = Counter()
    pieces: Counter[str] = Counter()
    for form, count in Counter(form for tree in trees for form in tree.forms).items():
        (marks if is_punctuation(form) else pieces)[normal_form(form)] += count
    n_shared = min(n_shared, len(vocabulary))
    known = set(vocabulary.pieces[:n_shared])
    extra = [mark for mark, _ in marks.most_common(MAX_MARKS) if mark not in known]
    extra += [piece for piece, count in pieces.most_common() if piece not in known and count > 1]
    return Lexicon(vocabulary, n_shared, tuple(dict.fromkeys(extra))[:n_extra])


def joined(one: TreebankSentence, other: TreebankSentence) -> TreebankSentence:
    """Two sentences as one line with two roots, because users' lines may hold two."""
    moved = tuple(head + len(one.forms) for head in other.heads)
    return TreebankSentence(one.forms + other.forms, one.heads + moved, one.relations + other.relations)


def unended(tree: TreebankSentence) -> TreebankSentence:
    """A sentence without its full stop, if it has one."""
    last = len(tree.forms) - 1
    if last < 2 or coarse(tree.relations[last]) != PUNCTUATION:
        return tree
    # The full stop may have been a head, in a treebank with errors: then the token becomes a root.
    heads = tuple(i if head == last else head for i, head in enumerate(tree.heads[:last]))
    return TreebankSentence(tree.forms[:last], heads, tree.relations[:last])


def tree_agreement(
    parser: Parser, trees: Iterable[TreebankSentence], case: Callable[[str], str] = str
) -> dict[str, float]:
    """The shares of words with the right head, and with the right head and label, to four digits; no punctuation."""
    heads = labels = n = 0
    for sentence in trees:
        tree = parser.parse(token_words(map(case, sentence.forms)))
        expected = np.array([coarse(relation) for relation in sentence.relations])
        word = expected != PUNCTUATION
        right = word & (tree.heads == sentence.heads)
        n, heads = n + int(word.sum()), heads + int(right.sum())
        labels += int((right & (tree.labels == expected)).sum())
    return {"heads": round(heads / max(1, n), 4), "labels": round(labels / max(1, n), 4)}
