from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tiny_bundle import write_tiny_bundle
from training_toys import articles, write

from tersely.bundle.bundle import open_bundle
from tersely.cli import main
from tersely.training.counts import inverse_document_frequency


def command(tmp_path: Path) -> str:
    text = write(tmp_path / "text.txt", articles(200))
    return f"train --recipe tiny --vectors-from {text} --start-from {tmp_path / 'old'} --out {tmp_path / 'new'}"


def test_only_the_vectors_and_their_idf_are_new(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tiny_bundle(tmp_path / "old")
    assert main(command(tmp_path).split()) == 0
    old, new = open_bundle(tmp_path / "old"), open_bundle(tmp_path / "new")
    assert set(new.tensors) == set(old.tensors)
    changed = {name for name in old.tensors if not np.array_equal(old.tensor(name), new.tensor(name))}
    assert changed == {"vectors", "vectors.scale", "idf"}
    assert new.vocabulary.pieces == old.vocabulary.pieces
    known = [line.split() for line in articles(200)]
    documents = np.array([sum(piece in line for line in known) for piece in new.vocabulary.pieces], np.float32)
    there = documents > 0
    assert there.any()
    expected = inverse_document_frequency(documents, 200)
    np.testing.assert_allclose(new.tensor("idf")[there], expected[there], rtol=1e-5)
    assert new.description["vectors from"] == "text"
    assert new.description["started from"] == old.signature
    assert f"all else is that of {old.signature}" in new.card
    assert capsys.readouterr().out == f"{tmp_path / 'new'}\n"
    # The same command goes on with the vectors that are there.
    made = (tmp_path / "new.run" / "vectors.npy").stat().st_mtime_ns
    assert main(command(tmp_path).split()) == 0
    assert (tmp_path / "new.run" / "vectors.npy").stat().st_mtime_ns == made
    assert open_bundle(tmp_path / "new").signature == new.signature
