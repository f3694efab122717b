"""Stage 2: the coarse labels of a dependency tree, the one table for training and inference.

Universal Dependencies has some forty relations and many subtypes. Rules tell only some of them apart (a verb needs its
subject, a noun its preposition), so the others share labels, and the parser has less to learn.
"""

from __future__ import annotations

# Each coarse label with the relations of Universal Dependencies that it stands for. A subtype that is not listed has
# the label of its relation ("nmod:tmod" that of "nmod"); a relation that is not listed is "dep".
_TABLE = {
    "root": "root",
    "nsubj": "nsubj csubj nsubj:outer csubj:outer",
    "nsubj:pass": "nsubj:pass csubj:pass",
    "obj": "obj",
    "iobj": "iobj",
    "ccomp": "ccomp",
    "xcomp": "xcomp",
    "obl": "obl",
    "advmod": "advmod",
    "advcl": "advcl",
    "aux": "aux",
    "aux:pass": "aux:pass",
    "cop": "cop",
    "mark": "mark",
    "nmod": "nmod",
    "nmod:poss": "nmod:poss",
    "appos": "appos",
    "nummod": "nummod",
    "amod": "amod",
    "det": "det",
    "case": "case clf fixed",
    "acl": "acl",
    "acl:relcl": "acl:relcl",
    "compound": "compound flat goeswith",
    "compound:prt": "compound:prt",
    "conj": "conj",
    "cc": "cc",
    "parataxis": "parataxis list",
    "expl": "expl",
    "punct": "punct",
    "dep": "dep discourse vocative dislocated orphan reparandum",
}
LABELS = tuple(_TABLE)
ROOT, PUNCTUATION, OTHER = LABELS.index("root"), LABELS.index("punct"), LABELS.index("dep")
_INDEX = {relation: i for i, relations in enumerate(_TABLE.values()) for relation in relations.split()}


def coarse(relation: str) -> int:
    """The position in `LABELS` of a relation of Universal Dependencies.

    >>> [LABELS[coarse(relation)] for relation in ("csubj", "nmod:tmod", "flat:name", "acl:relcl", "unheard-of")]
    ['nsubj', 'nmod', 'compound', 'acl:relcl', 'dep']
    """
    return _INDEX.get(relation, _INDEX.get(relation.partition(":")[0], OTHER))
