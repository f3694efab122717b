"""Stage 7: the source's own punctuation marks in a summary, and its capitals.

A summary without any mark makes readers stumble ("After three weeks battery barely manages an hour"). A mark attaches
to a word, so it changes no count of words.

- A comma, colon or semicolon stays where it still divides what is left: not where it opened or closed an aside that was
  dropped.
- The mark that ends a sentence stays between two sentences. At the end of the summary "?" and "!" stay if the main
  clause does; a full stop only if it is asked for, because headlines have none.
- Quotation marks and brackets stay in pairs, if all words between them stay.

Dashes are left out, because a dash stands between spaces and would count as a word.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tersely.candidates.measure import divides
from tersely.sentence.sentence import Sentence
from tersely.sentence.tree import Tree
from tersely.system.arrays import IntArray
from tersely.text.punctuation import BRACKETS, Ending, capitalized, pairs
from tersely.text.words import Word, render

_CLAUSAL = frozenset("conj ccomp parataxis advcl appos acl acl:relcl dep".split())
_SET_OFF = _CLAUSAL - {"conj"} | frozenset("nummod nmod amod".split())  # labels of an aside's head
PAIR, DIVIDING, ENDING = range(3)  # kinds of marks: if there is no room, the first go first


class Part(NamedTuple):
    """One mark: its token, its text, and the kept word that it follows, or precedes if it opens."""

    at: int
    text: str
    word: int
    opens: bool = False


class Mark(NamedTuple):
    """A mark or a pair of marks, which stay or go together."""

    kind: int
    parts: tuple[Part, ...]


def marks_of(sentence: Sentence, ends: Sequence[Ending], kept: Sequence[int], *, period: bool = False) -> list[Mark]:
    """The marks that may stay with the kept words, those first that go first if there is no room."""
    at = sentence.positions[list(kept)]
    found = [
        *_endings(sentence, ends, at, period=period),
        *_dividing(sentence, at, {end.stop for end in ends}),
        *_whole_pairs(sentence, at),
    ]
    return sorted(found, key=lambda mark: (mark.kind, -mark.parts[0].at))


def with_marks(words: Sequence[Word], marks: Sequence[Mark]) -> str:
    """The kept words as text, with marks."""
    before, after = ["" for _ in words], ["" for _ in words]
    for part in sorted(part for mark in marks for part in mark.parts):
        (before if part.opens else after)[part.word] += part.text
    return render(words, before=before, after=after)


def with_capitals(
    words: Sequence[Word], ends: Sequence[Ending], marks: Sequence[Mark], tokens: Sequence[Word]
) -> list[Word]:
    """The kept words, with a capital where the summary begins a sentence that has one in the source."""
    begins = {0, *(mark.parts[0].word + 1 for mark in marks if mark.kind == ENDING)}
    made = list(words)
    for k in begins.intersection(range(len(words))):
        end = next(end for end in ends if words[k].start < tokens[end.stop - 1].end)
        if _begins_with_capital(tokens[end.start : end.stop], end):
            made[k] = replace(words[k], text=capitalized(words[k].text))
    return made


def _begins_with_capital(tokens: Sequence[Word], end: Ending) -> bool:
    """Whether a sentence begins with a capital, or with a word that has none: "iPhone sales fell", "3 people died"."""
    first = next(token.text for token in tokens if not token.punctuation)
    if first[0].isupper() or capitalized(first) != first:
        return first[0].isupper()
    cased = first[0].islower() or not first[0].isalpha()
    return cased and (bool(end.text) or any(char.isupper() for token in tokens for char in token.text))


def _endings(sentence: Sentence, ends: Sequence[Ending], kept: IntArray, *, period: bool) -> Iterator[Mark]:
    """The marks that end the sentences of the kept words; that of the last one only for a reason."""
    for end in ends:
        inside = np.flatnonzero((kept >= end.start) & (kept < end.stop))
        if not len(inside) or not end.text:
            continue
        last = int(inside[-1])
        after = _marks_after(sentence.tokens, kept[last])
        asked = next((i for i in after if sentence.tokens[i].text in ("?", "!")), end.at)
        if asked != end.at and not end.calls:  # of a quotation: 'He asked "Why?" on Friday.'
            yield Mark(ENDING, (Part(asked, sentence.tokens[asked].text, last),))
            continue
        stays = last + 1 < len(kept) or (_has_main_clause(sentence, end, kept) if end.calls else period)
        if stays and not sentence.tokens[kept[last]].text.endswith(end.text):  # "in the U.S."
            yield Mark(ENDING, (Part(end.at, end.text, last),))


def _marks_after(tokens: Sequence[Word], at: int) -> Iterator[int]:
    """The punctuation marks between a word and the next one."""
    return itertools.takewhile(lambda i: tokens[i].punctuation, range(at + 1, len(tokens)))


def _has_main_clause(sentence: Sentence, end: Ending, kept: IntArray) -> bool:
    """Whether the root of a sentence is kept; without a tree, a word of its last clause."""
    roots = [] if sentence.tree is None else [i for i in sentence.tree.roots if end.start <= i < end.stop]
    words = (sentence.positions >= end.start) & (sentence.positions < end.stop)
    last = sentence.stretches[words] == sentence.stretches[words][-1]
    return not set(roots or sentence.positions[words][last]).isdisjoint(kept)


def _dividing(sentence: Sentence, kept: IntArray, borders: set[int]) -> Iterator[Mark]:
    """The marks between the kept words of a sentence; without a tree there are none."""
    words, tree = sentence.positions, sentence.tree
    if tree is None:
        return
    marks: dict[int, Mark] = {}
    for k, (left, right) in enumerate(itertools.pairwise(kept)):
        found = [i for i in range(left + 1, right) if divides(sentence.tokens, i)]
        dropped = words[(words > left) & (words < right)]
        if not found or not borders.isdisjoint(range(left + 1, right + 1)):
            continue
        asked = [i for i in found if sentence.tokens[i].text in ("?", "!")]
        mark = asked[0] if asked else found[-1]
        if left < tree.heads[left] < mark and tree.relations[left] not in _CLAUSAL:
            continue  # "in, Texas": the word before the mark has lost its head
        if asked and (dropped < mark).any():
            continue  # it belongs to a dropped word: "Shares of Yahoo! fell"
        alone = len(found) == 1 or bool(asked)
        if _still_divides(dropped, mark, tree) if alone else _between_clauses(kept, mark, tree):
            marks[mark] = Mark(DIVIDING, (Part(mark, sentence.tokens[mark].text, k),))
    for comma, second in _asides(sentence, tree, kept, borders):
        one, other = marks.pop(comma, None), marks.pop(second, None)
        if one is not None and other is not None:
            marks[comma] = Mark(DIVIDING, (*one.parts, *other.parts))
    yield from marks.values()


def _asides(sentence: Sentence, tree: Tree, kept: IntArray, borders: set[int]) -> Iterator[tuple[int, int]]:
    """The commas around each aside of which words are kept, and words before and after it: "The mayor, 78, won"."""
    for begin, comma, second, stop in sentence.shared("asides", lambda: list(_all_asides(sentence, tree, borders))):
        at = np.searchsorted(kept, [begin, comma, second, stop])
        if (np.diff(at) > 0).all():  # else nothing is left to set off
            yield comma, second


def _all_asides(sentence: Sentence, tree: Tree, borders: set[int]) -> Iterator[tuple[int, int, int, int]]:
    """The two commas around each aside of the source, between the begin and the stop of its sentence."""
    tokens, words = sentence.tokens, sentence.positions
    commas = [i for i in range(len(tokens)) if divides(tokens, i) and tokens[i].text == ","]
    for comma, second in itertools.pairwise(commas):
        if not borders.isdisjoint(range(comma, second)):
            continue  # a sentence ends between the commas
        inside = (tree.heads > comma) & (tree.heads < second)
        roots = [i for i in words[slice(*np.searchsorted(words, (comma, second)))] if not inside[i]]
        if len(roots) != 1 or tree.heads[roots[0]] >= comma or tree.relations[roots[0]] not in _SET_OFF:
            continue
        begin = max((border for border in borders if border <= comma), default=0)
        stop = min((border for border in borders if border > second), default=len(tokens))
        if not inside[second + 1 : stop].any():
            yield begin, comma, second, stop


def _still_divides(dropped: IntArray, mark: int, tree: Tree) -> bool:
    """Whether no dropped word beside the mark depends on a word behind it: the mark set such a word off."""
    return bool(np.all((tree.heads[dropped] < mark) == (dropped < mark)))


def _between_clauses(kept: IntArray, mark: int, tree: Tree) -> bool:
    """Whether all that joins the kept words on either side is a clause: '"Nobody is safe, ...," the mayor said'."""
    heads = tree.heads[kept]
    joined = kept[np.isin(heads, kept) & ((kept < mark) != (heads < mark))]
    return len(joined) > 0 and all(tree.relations[i] in _CLAUSAL for i in joined)


def _whole_pairs(sentence: Sentence, kept: IntArray) -> Iterator[Mark]:
    """The pairs of marks with all their words kept; a bracket also needs a word before it, if it had one."""
    tokens, words = sentence.tokens, sentence.positions
    found = np.array(sentence.shared("pairs", lambda: pairs(tokens)), dtype=np.int64).reshape(-1, 2)
    first, after = np.searchsorted(kept, found).T
    whole = (after > first) & (after - first == np.diff(np.searchsorted(words, found))[:, 0])
    for k in np.flatnonzero(whole):
        opening, closing = found[k].tolist()
        if tokens[opening].text in BRACKETS and words[0] < opening < kept[0]:
            continue
        left = Part(opening, tokens[opening].text, int(first[k]), opens=True)
        yield Mark(PAIR, (left, Part(closing, tokens[closing].text, int(after[k]) - 1)))
