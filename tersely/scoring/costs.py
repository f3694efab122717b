"""Stage 3: the kinds of needs that a word may have, and what it costs a summary to break one.

The costs were chosen by reading summaries without knowing their system, and then as far as ROUGE allows
(results/tuning.md). `needs.py` says when a word has such a need.
"""

from __future__ import annotations

COSTS = {
    # a word without its head, by what the word is
    "head of a function word": 1.8,
    "head of a possessor": 3.0,  # beside what any such word costs: "Maduro's" what?
    "head of a negation": 1.0,  # beside what any such word costs
    "verb of a speaker": 1.0,  # beside what any subject costs
    "head of a modifier": 2.2,
    "head of a compound": 2.0,
    "head of an argument": 3.5,
    "head of a complement": 2.2,
    "head of an adjunct": 2.6,
    "head of a clause": 3.0,
    "head of a conjunct": 1.5,
    "head of an addition": 0.9,
    # a head without its dependent
    "subject": 3.0,
    "subject of a helper": 1.5,
    "object": 2.8,
    "shared object": 1.6,
    "complement": 3.3,
    "particle": 1.5,
    "marker": 2.3,
    "preposition": 3.2,
    "preposition of an addition": 1.5,
    "both sides of a preposition": 0.4,
    "copula": 0.6,
    "auxiliary": 0.05,
    "auxiliary beside another": 0.9,
    "helper of a helper": 2.4,
    "number": 0.4,
    "number of a unit": 3.0,
    "part of a name": 0.2,
    "part of a place": 1.5,
    "name of a company": 1.0,
    "antecedent": 2.2,
    "and": 2.4,
    "and of clauses": 0.3,  # beside what any "and" costs
    "second clause": -4.8,  # it may stand alone: takes back most of what losing the main predicate and the "and" costs
    "first clause": 4.0,  # but then not with its "and"
    "other side": 2.6,  # of "between"
    "who is asked": 3.0,
    "auxiliary of a pronoun": 2.0,
    "auxiliary of a participle": 2.6,
    "auxiliary of a question": 1.5,
    "word of a question": 2.0,
    "what it is a part of": 0.4,
    "adjunct of a bare verb": 2.0,
    "place of an object": 2.2,
    "which one": 1.0,
    "restriction": 0.5,
    "restriction of anyone": 1.5,  # beside what any such clause costs
    "restriction of only": 1.5,
    "body of an empty noun": 0.8,
    "body of an addition": 1.0,
    "quality of a predicate": 1.0,
    "content": 1.5,
    # a head without a word that turns its meaning
    "negation": 3.0,
    "doubt": 4.0,
    "hedge": 2.4,
    "connective": 1.8,
    "modal": 3.0,
    "condition": 2.8,
    "exception": 0.6,
    "turning head": 3.0,
    "degree": 1.6,
    "limit of a negation": 1.8,
    "fixed phrase": 3.0,
    # a summary without what the sentence is about
    "main predicate": 3.2,
    # a summary that begins with a word that goes on from something, or ends with one that waits for its head
    "first word": 1.0,
    "last word": 1.5,
}
# In text with capitals, as prose has them, people read a summary as prose and not as a telegram: all needs count so much
# more there (results/tuning.md).
PROSE = 5.0
# Kinds that are not weighed but kept, where the parser is as sure as this.
HARD = ("negation", "number of a unit")
SURE = 0.9
