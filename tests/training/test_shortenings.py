"""Shortenings read, aligned and augmented; what is not a deletion is refused with file and line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from learning_toys import shortenings, write_pairs

from tersely.errors import InputError
from tersely.text.words import tokenize
from tersely.training.shortenings import align, augmented, read_shortenings

SOURCE = {"text": "The ship, they said, didn't sink on Monday.", "short": ["ship didn't sink", "The ship didn't sink"]}


def kept(source, mask):
    words = [word.text for word in source.words if not word.punctuation]
    return " ".join(words[i] for i in np.flatnonzero(mask))


def test_reads_masks_over_words(tmp_path):
    rows = [SOURCE, SOURCE, {"text": "All stays", "short": "All stays"}]
    ((source,), _) = read_shortenings([write_pairs(tmp_path / "pairs.jsonl", rows)])
    assert [kept(source, mask) for mask in source.masks] == ["ship didn't sink", "The ship didn't sink"]


def test_reads_tokens_with_labels_and_a_style(tmp_path):
    row = {"tokens": ["A", "ship", ",", "old", ",", "sank"], "kept": [0, 1, 0, 0, 0, 1], "style": 1}
    ((source,), _) = read_shortenings([write_pairs(tmp_path / "labels.jsonl", [row])])
    assert kept(source, source.masks[0]) == "ship sank"
    assert source.style == 1


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"text": "The ship sank", "short": ["The boat sank"]}, "'The boat sank' is not the text with words deleted"),
        ({"text": "The ship sank", "short": ["sank ship"]}, "not the text with words deleted"),
        ({"text": "The ship sank", "short": [""]}, "not the text with words deleted"),
        ({"text": "The ship sank"}, 'expected an object with "text" and "short"'),
        ({"text": "The ship sank", "short": 5}, '"short" one or a list'),
        ({"tokens": ["ship"], "kept": []}, "lists of the same length"),
        ({**SOURCE, "style": 3}, '"style"'),
        ({**SOURCE, "style": "mine"}, '"style"'),
    ],
)
def test_refuses_what_is_not_a_deletion(tmp_path, row, message):
    path = write_pairs(tmp_path / "pairs.jsonl", [SOURCE, row])
    with pytest.raises(InputError, match=rf"pairs.jsonl, line 2: .*{message}"):
        read_shortenings([path])


def test_a_few_that_are_no_deletions_are_left_out(tmp_path):
    rows = [*shortenings(), {"text": "The ship's sinking", "short": "ship sinking"}]
    sources, refused = read_shortenings([write_pairs(tmp_path / "pairs.jsonl", rows)])
    assert len(sources) == len(shortenings())
    assert refused == [
        f"{tmp_path / 'pairs.jsonl'}, line {len(rows)}: 'ship sinking' is not the text with words deleted"
    ]


def test_an_empty_file_and_bad_json(tmp_path):
    (tmp_path / "none.jsonl").write_text("\n")
    with pytest.raises(InputError, match="no shortenings"):
        read_shortenings([tmp_path / "none.jsonl"])
    for content in (b"{\xff\n", b"[" * 100_000):
        (tmp_path / "bad.jsonl").write_bytes(content)
        with pytest.raises(InputError, match="line 1: not JSON"):
            read_shortenings([tmp_path / "bad.jsonl"])


def test_what_is_held_out_depends_on_the_text_alone(tmp_path):
    sources, _ = read_shortenings([write_pairs(tmp_path / "pairs.jsonl")])
    held = {source.text for source in sources if source.held_out}
    assert 0 < len(held) < len(sources) / 5
    fewer, _ = read_shortenings([write_pairs(tmp_path / "fewer.jsonl", shortenings()[:30])])
    assert {source.text for source in fewer if source.held_out} == held & {source.text for source in fewer}


def test_alignment_prefers_neighbours():
    source = tokenize("the fox saw the dog and the dog saw the fox")
    assert np.flatnonzero(align(source, tokenize("the dog saw the fox"))).tolist() == [6, 7, 8, 9, 10]
    assert align(source, tokenize("the cat")) is None


def test_augmented_masks_keep_the_same_words(tmp_path):
    ((source,), _) = read_shortenings([write_pairs(tmp_path / "pairs.jsonl", [json.loads(json.dumps(SOURCE))])])
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(200):
        example = augmented(source, rng)
        n = sum(not word.punctuation for word in example.words)
        for mask in example.masks:
            assert len(mask) == n
            assert kept(example, mask).lower().replace(" n't", "n't") in [s.lower() for s in SOURCE["short"]]
        seen.add(tuple(word.text for word in example.words))
    assert len(seen) > 4
