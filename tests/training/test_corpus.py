from __future__ import annotations

import lzma
import os
from pathlib import Path

import numpy as np
import pytest

from tersely.errors import FileError, InputError
from tersely.text.vocabulary import Vocabulary
from tersely.training.corpus import CorpusFile, Encoded, choose_vocabulary, encode, encode_lines, hold_out, read_corpora

LINES = b"Ship runs aground\nCuba's ship sinks\n\n...\n"


def test_a_packed_file_is_read_by_line(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt.xz"
    path.write_bytes(lzma.compress(LINES))
    encoded = encode(CorpusFile(path))
    lines = [[encoded.pieces[i] for i in encoded.line(n)] for n in range(encoded.n_lines)]
    assert lines == [["ship", "runs", "aground"], ["cuba", "'s", "ship", "sinks"]]
    assert encoded.size == "2 lines, 7 words (left out: 2 without a word)"


def test_a_name_that_is_not_utf_8_has_a_cache(tmp_path: Path) -> None:
    (file := CorpusFile(tmp_path / os.fsdecode(b"caf\xe9.txt"))).path.write_bytes(LINES)
    (read,) = read_corpora([file], tmp_path / "cache").values()
    (again,) = read_corpora([file], tmp_path / "cache").values()
    assert again.pieces == read.pieces


def test_the_cache_gives_back_what_was_read(tmp_path: Path) -> None:
    path, cache = tmp_path / "a.txt", tmp_path / "cache" / "a.npz"
    path.write_bytes(LINES + b"\xff\xfe broken\n")
    first = encode(CorpusFile(path), cache)
    path.unlink()
    again = encode(CorpusFile(path), cache)
    assert (again.pieces, again.skipped) == (first.pieces, first.skipped)
    np.testing.assert_array_equal(again.ids, first.ids)
    np.testing.assert_array_equal(again.offsets, first.offsets)


def test_two_processes_read_what_one_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(LINES * 10)
    monkeypatch.setattr("tersely.training.corpus.LINES_PER_BLOCK", 7)
    one, two = encode(CorpusFile(path)), encode(CorpusFile(path), processes=2)
    assert one.pieces == two.pieces
    assert np.array_equal(one.ids, two.ids)


def test_pretokenized_text_keeps_its_tokens() -> None:
    encoded = encode_lines([b"delhi 's UNK rose #.# percent ."], pretokenized=True)
    assert encoded.pieces == ("delhi", "'s", "<unk>", "rose", "#.#", "percent")


def test_remap_turns_rare_words_into_the_unknown_symbol() -> None:
    encoded = encode_lines([b"ship sinks", b"ferry sinks"]).remap(Vocabulary.of(["sinks", "ship"]))
    assert encoded.ids.tolist() == [4, 3, 0, 3]


@pytest.mark.parametrize(("text", "weights"), [("a.txt", (1, 1)), ("a.txt=2", (2, 1)), ("a.txt=0,0.5", (0, 0.5))])
def test_weights_on_the_command_line(text: str, weights: tuple[float, float]) -> None:
    file = CorpusFile.parse(text)
    assert (file.path.name, file.weight, file.count_weight) == ("a.txt", *weights)


@pytest.mark.parametrize("text", ["a.txt=x", "a.txt=-1", "a.txt=1,2,3", "a.txt=nan", "a.txt=inf"])
def test_bad_weights_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"a\.txt"):
        CorpusFile.parse(text)


def test_a_name_with_an_equals_sign_is_a_name_if_it_exists(tmp_path: Path) -> None:
    path = tmp_path / "a=1.txt"
    path.touch()
    assert CorpusFile.parse(str(path)).path == path


def test_missing_and_damaged_files_are_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot read .*no-such"):
        encode(CorpusFile(tmp_path / "no-such.txt"))
    damaged = tmp_path / "half.txt.xz"
    damaged.write_bytes(lzma.compress(LINES * 1000)[:60])
    with pytest.raises(FileError, match=r"cannot read .*half"):
        encode(CorpusFile(damaged))


def encoded(lines: list[str]) -> Encoded:
    return encode_lines([line.encode() for line in lines])


def test_the_vocabulary_is_ordered_by_weighted_frequency() -> None:
    corpora = [encoded(["ship ship port"]), encoded(["port port port ferry ferry rare"])]
    assert choose_vocabulary(corpora, [1.0, 1.0], size=9, min_count=2).pieces[3:] == ("port", "ferry", "ship")
    assert choose_vocabulary(corpora, [1.0, 0.0], size=9, min_count=1).pieces[3:] == ("ship", "port")
    assert len(choose_vocabulary(corpora, [1.0, 1.0], size=2, min_count=1)) == 5


@pytest.mark.parametrize("lines", [[], ["ship"], ["ship ship", "ship"], ["UNK UNK"]])
def test_a_corpus_of_one_word_or_none_is_refused(lines: list[str]) -> None:
    with pytest.raises(InputError, match="different words"):
        choose_vocabulary([encoded(lines)], [1.0], size=9, min_count=1)


def test_held_out_lines_are_not_trained_on() -> None:
    corpora = [encoded(["other " * i for i in range(1, 51)]), encoded([chr(0x4E00 + i) for i in range(50)])]
    rest, held_out = hold_out(corpora, [1.0, 2.0], 3)
    assert (rest[0].n_lines, rest[1].n_lines, held_out.n_lines) == (50, 47, 3)
    assert not set(held_out.ids.tolist()) & set(rest[1].ids.tolist())
    assert hold_out(corpora, [1.0, 2.0], 1000)[1].n_lines == 5  # never more than a tenth
