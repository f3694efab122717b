"""Stage 4: the kinds of needs that a word may have, and what it costs a summary to break one.

The costs were chosen by reading summaries without knowing their system, and then as far as ROUGE allows
(results/tuning.md). `needs.py` says when a word has such a need.
"""

from __future__ import annotations

COSTS = {
    # a word without its head, by what the word is
    "head of a function word": 2.5,
    "head of a possessor": 4.0,  # beside what any such word costs: "Maduro's" what?
    "head of a negation": 1.0,  # beside what any such word costs
    "verb of a speaker": 1.4,  # beside what any subject costs
    "head of a modifier": 3.0,
    "head of a compound": 2.6,
    "head of an argument": 4.2,
    "head of a complement": 2.8,
    "head of an adjunct": 2.6,
    "head of a clause": 3.0,
    "head of a conjunct": 2.4,
    "head of an addition": 1.8,
    # a head without its dependent
    "subject": 4.0,
    "subject of a helper": 1.5,
    "object": 4.0,
    "shared object": 1.6,
    "complement": 4.2,
    "particle": 2.2,
    "marker": 2.3,
    "preposition": 4.0,
    "preposition of an addition": 1.5,
    "both sides of a preposition": 0.6,
    "copula": 0.8,
    "auxiliary": 0.05,
    "auxiliary beside another": 0.4,
    "helper of a helper": 2.4,
    "number": 0.3,
    "number of a unit": 3.0,
    "part of a name": 0.2,
    "part of a place": 1.5,
    "name of a company": 1.7,
    "antecedent": 3.0,
    "and": 4.0,
    "and of clauses": 0.3,  # beside what any "and" costs
    "second clause": -5.2,  # it may stand alone: takes back most of what losing the main predicate and the "and" costs
    "first clause": 5.5,  # but then not with its "and"
    "other side": 3.4,  # of "between"
    "who is asked": 4.0,
    "auxiliary of a pronoun": 2.0,
    "auxiliary of a participle": 2.6,
    "auxiliary of a question": 2.0,
    "word of a question": 4.0,
    "what it is a part of": 0.4,
    "adjunct of a bare verb": 2.6,
    "place of an object": 2.2,
    "which one": 1.0,
    "scope of which one": 1.2,
    "restriction": 0.5,
    "restriction of anyone": 2.5,  # beside what any such clause costs
    "restriction of only": 2.2,
    "body of an empty noun": 0.8,
    "body of an addition": 1.7,
    "quality of a predicate": 1.0,
    "content": 2.2,
    # a head without a word that turns its meaning
    "negation": 3.0,
    "doubt": 5.0,
    "hedge": 3.0,
    "connective": 3.4,
    "modal": 4.0,
    "condition": 4.0,
    "exception": 4.0,
    "turning head": 4.0,
    "degree": 3.0,
    "limit of a negation": 2.4,
    "fixed phrase": 4.5,
    # a summary without what the sentence is about
    "main predicate": 3.6,
    # a summary that begins with a word that goes on from something, or ends with one that waits for its head
    "first word": 1.0,
    "last word": 2.4,
}
