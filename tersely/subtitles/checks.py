"""What a choice of words must not do to denials, to questions, and to tags such as "isn't it?". English."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

from tersely.sentence.language import Language
from tersely.summary.summary import Summary
from tersely.text.sentences import sentence_bounds
from tersely.text.words import Word, fold

TAG = re.compile(r", \w+(?:n['\u2019]t)? (?:i|you|he|she|it|we|they|there)\?$", re.IGNORECASE)

_ASKING = re.compile(
    r"(?:^|[,;:] )(?:(?:and|but|so|or|well|then) )?"
    r"((?:wh(?:o|om|ose|at|ich|ere|en|y)|how|do|does|did|is|are|was|were|am|have|has|had|can|could|will|would|shall|should"
    r"|may|might|must)(?:n['\u2019]t|['\u2019](?:s|d|re|ll|ve))?)\b",
    re.IGNORECASE,
)


def denials(source: str, tokens: Iterable[Word], language: Language) -> set[int]:
    """Where the denying words of a text begin. Those of a tag deny nothing."""
    found = [TAG.search(source, *bounds) for bounds in sentence_bounds(source)]
    tags = [(tag.start(), tag.end()) for tag in found if tag]
    return {
        token.start
        for token in tokens
        if not language["negation"].isdisjoint(token.pieces)
        and not any(start <= token.start < stop for start, stop in tags)
    }


def breaks_a_denial(summary: Summary, source: str, language: Language) -> bool:
    """Whether a denying word ends a sentence of the summary and has lost what it denies: "He couldn't (stop)"."""
    ends = [stop for _, stop in sentence_bounds(source)]
    of_sentence = [bisect_right(ends, start) for start, _ in summary.spans]
    for k, position in enumerate(summary.kept):
        token, end = fold(summary.tokens[position]), summary.spans[k][1]
        last = k + 1 == len(of_sentence) or of_sentence[k + 1] != of_sentence[k]
        if last and (token in language["negation"] or token.endswith("n't")) and source[end : end + 1].isspace():
            return True
    return False


def has_only_a_tag(summary: Summary, source: str) -> bool:
    """Whether a sentence of a summary has lost all but its tag."""
    kept = [start for start, _ in summary.spans]
    for start, stop in sentence_bounds(source):
        tag = TAG.search(source, start, stop)
        if tag and min((place for place in kept if start <= place < stop), default=start) >= tag.start() > start:
            return True
    return False


def loses_its_question(summary: Summary, source: str) -> bool:
    """Whether a question of a summary has lost the word that asks: "(Why) did you go?"."""
    kept = {start for start, _ in summary.spans}
    for start, stop in sentence_bounds(source):
        question = source[start:stop]
        asking = None if TAG.search(question) or not question.endswith("?") else _ASKING.search(question)
        if asking and start + asking.start(1) not in kept and any(start <= place < stop for place in kept):
            return True
    return False
