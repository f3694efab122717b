"""How spaCy's trees become those of Universal Dependencies, on small sentences; spaCy is not needed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).parent.parent / "runs" / "make_trees.py"


@pytest.fixture(scope="module")
def make_trees() -> object:
    spec = importlib.util.spec_from_file_location("make_trees", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_trees"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


# form/tag/head/label, heads counted from 1, a root's its own; then what comes out
CASES = {
    "prepositions": (
        "ran/VERB/1/ROOT out/ADP/1/prep of/ADP/2/prep the/DET/5/det port/NOUN/3/pobj",
        "ran/1/root out/5/case of/5/case the/5/det port/1/obl",
    ),
    "of a noun": ("port/NOUN/1/ROOT of/ADP/1/prep Havre/PROPN/2/pobj", "port/1/root of/3/case Havre/1/nmod"),
    "copula": (
        "Anna/PROPN/2/nsubj is/AUX/2/ROOT not/PART/2/neg happy/ADJ/2/acomp",
        "Anna/4/nsubj is/4/cop not/4/advmod happy/4/root",
    ),
    "place": (
        "ships/NOUN/2/nsubj are/AUX/2/ROOT in/ADP/2/prep port/NOUN/3/pobj",
        "ships/4/nsubj are/4/cop in/4/case port/4/root",
    ),
    "there is": ("There/PRON/2/expl is/AUX/2/ROOT hope/NOUN/2/attr", "There/2/expl is/2/root hope/2/nsubj"),
    "question": ("Who/PRON/2/attr is/AUX/2/ROOT she/PRON/2/nsubj", "Who/1/root is/1/cop she/1/nsubj"),
    "coordination": (
        "But/CCONJ/3/cc ships/NOUN/3/nsubj sink/VERB/3/ROOT and/CCONJ/3/cc rust/VERB/3/conj",
        "But/3/cc ships/3/nsubj sink/3/root and/5/cc rust/3/conj",
    ),
    "three": (
        "a/NOUN/1/ROOT b/NOUN/1/conj and/CCONJ/2/cc c/NOUN/2/conj",
        "a/1/root b/1/conj and/4/cc c/1/conj",
    ),
    "small clause": ("let/VERB/1/ROOT him/PRON/3/nsubj go/VERB/1/ccomp", "let/1/root him/1/obj go/1/xcomp"),
    "that clause": (
        "said/VERB/1/ROOT he/PRON/4/nsubj will/AUX/4/aux go/VERB/1/ccomp",
        "said/1/root he/4/nsubj will/4/aux go/1/ccomp",
    ),
    "fixed": (
        "towns/NOUN/1/ROOT such/ADJ/3/amod as/ADP/1/prep Havre/PROPN/3/pobj",
        "towns/1/root such/4/amod as/2/case Havre/1/nmod",
    ),
    "names": ("Anna/PROPN/2/compound Smith/PROPN/3/nsubj won/VERB/3/ROOT", "Anna/2/compound Smith/3/nsubj won/3/root"),
}


@pytest.mark.parametrize("name", CASES)
def test_trees_become_universal(name: str, make_trees: object) -> None:
    before, after = CASES[name]
    rows = [token.split("/") for token in before.split()]
    tree = [make_trees.Token(form, tag, int(head) - 1, label) for form, tag, head, label in rows]  # type: ignore[attr-defined]
    made = make_trees.universal(tree)  # type: ignore[attr-defined]
    assert " ".join(f"{token.form}/{token.head + 1}/{token.label}" for token in made) == after
    assert make_trees.is_tree(made)  # type: ignore[attr-defined]


def test_a_cycle_is_no_tree(make_trees: object) -> None:
    token = make_trees.Token  # type: ignore[attr-defined]
    assert not make_trees.is_tree([token("a", "X", 1, "x"), token("b", "X", 0, "x"), token("c", "X", 2, "ROOT")])  # type: ignore[attr-defined]
