"""What a choice of words must not do to denials, to questions, and to tags such as "isn't it?". English."""

from __future__ import annotations

import re
from bisect import bisect_right

from tersely.sentence.language import Language
from tersely.summary.summary import Summary
from tersely.text.sentences import sentence_bounds
from tersely.text.words import fold

TAG = re.compile(r", \w+(?:n['\u2019]t)? (?:i|you|he|she|it|we|they|there)\?$", re.IGNORECASE)

_ASKING = re.compile(
    r"(?:^|[,;:] )(?:(?:and|but|so|or|well|then) )?"
    r"((?:wh(?:o|om|ose|at|ich|ere|en|y)|how|do|does|did|is|are|was|were|am|have|has|had|can|could|will|would|shall|should"
    r"|may|might|must)(?:n['\u2019]t|['\u2019](?:s|d|re|ll|ve))?)\b",
    re.IGNORECASE,
)


def _denying(summary: Summary, language: Language) -> list[int]:
    """The positions of the source's denying words."""
    folded = map(fold, summary.tokens)
    return [i for i, token in enumerate(folded) if token in language["negation"] or token.endswith("n't")]


def loses_a_denial(summary: Summary, language: Language) -> bool:
    """Whether a summary leaves out a denying word."""
    return not set(_denying(summary, language)) <= set(summary.kept)


def breaks_a_denial(summary: Summary, source: str, language: Language) -> bool:
    """Whether a denying word has lost what it denies, or is lost while its next word is kept.

    In "He couldn't stop, but he tried." neither "He couldn't" nor "He stop" is left.
    """
    ends = [stop for _, stop in sentence_bounds(source)]
    of_sentence = {i: bisect_right(ends, start) for i, (start, _) in zip(summary.kept, summary.spans, strict=True)}
    after = dict(zip(summary.kept, [*summary.kept[1:], -1], strict=True))
    stops = dict(zip(summary.kept, (stop for _, stop in summary.spans), strict=True))
    for i in _denying(summary, language):
        if i not in stops and i + 1 in stops:
            return True
        last = i in stops and of_sentence.get(after[i]) != of_sentence[i]
        if last and source[stops[i] : stops[i] + 1].isspace():
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
