"""Lessons: which sentences are drawn, in which forms, and what the search says of them."""

from __future__ import annotations

import lzma

import numpy as np
import pytest

from tersely.errors import FileError
from tersely.training.lessons import (
    CANDIDATES,
    Best,
    Lesson,
    as_benchmark,
    assignments,
    collect,
    draw_sentences,
    read_lessons,
    teach,
)
from tersely.vocab import Vocabulary

LONG = "the german container ship ran aground early on tuesday but authorities said there were no casualties {}"


def test_draws_the_same_sentences_of_a_usual_length_from_all_files(tmp_path):
    one, other = tmp_path / "a.txt", tmp_path / "b.txt.xz"
    one.write_text(
        "".join(LONG.format(f"a{i}.\n") for i in range(30)) + "too short.\n" + "long " * 60 + "\ncut off " * 5
    )
    other.write_bytes(lzma.compress("".join(LONG.format(f"b{i}. Second one.\n") for i in range(30)).encode()))
    drawn = draw_sentences([one, other], 20)
    assert drawn == draw_sentences([one, other], 20)
    assert len(drawn) == 20
    assert sum("casualties a" in text for text in drawn) == 10
    assert all("short" not in text and "Second" not in text and "long long" not in text for text in drawn)


def test_half_of_them_in_the_forms_of_benchmarks():
    vocabulary = Vocabulary.of(["the", "ship", "'s", "ran", "cuba"])
    tasks = list(assignments(["Cuba's ship (the) sank."] * 40, ["headline", "sentence"], vocabulary))
    assert [task.objective for task in tasks[:3]] == ["headline", "sentence", "headline"]
    forms = {task.text for task in tasks}
    assert forms == {
        "Cuba's ship (the) sank.",
        "cuba 's ship -lrb- the -rrb- UNK .",
        "Cuba 's ship -lrb- the -rrb- sank .",
    }
    assert all(task.pretokenized == (task.text != "Cuba's ship (the) sank.") for task in tasks)
    assert as_benchmark('"Yes"', vocabulary, lower=False) == "'' Yes ''"


def test_a_lesson_has_the_best_candidates_of_several_lengths(summarizer):
    lesson = teach(summarizer, (3, Lesson(LONG.format("today"), False, "paper")))
    assert len(lesson.lists) > 2
    source = lesson.source(summarizer.bundle.vocabulary)
    bound = summarizer.objective(summarizer.weights("paper")).bind(source)
    for best in lesson.lists:
        assert 1 <= len(best.masks) <= CANDIDATES
        assert (best.masks.sum(axis=1) == best.size).all()
        np.testing.assert_allclose(bound.log_scores(best.masks), best.scores, atol=1e-4)
        assert (np.diff(best.scores) <= 0).all()


def test_searched_and_guided_lessons_are_of_the_same_kind(tiny_bundle, tmp_path):
    from conftest import write_tiny_bundle

    from tersely.summarizer import Summarizer

    plain = Summarizer.load(write_tiny_bundle(tmp_path / "plain", selector=False))
    task = (3, Lesson(LONG.format("today"), False, "paper"))
    sizes = [[best.size for best in teach(one, task).lists] for one in (plain, Summarizer.load(tiny_bundle))]
    assert sizes[0] == sizes[1]


def test_a_sentence_that_is_too_short_teaches_nothing(summarizer):
    assert teach(summarizer, (0, Lesson("ship ran aground", False, "paper"))).lists == ()


def test_collecting_goes_on_after_a_kill(summarizer, tmp_path):
    tasks = [Lesson(LONG.format(f"today {i}"), False, "paper") for i in range(4)]
    whole = collect(summarizer, tasks, tmp_path / "whole.jsonl")
    path = tmp_path / "cut.jsonl"
    lines = (tmp_path / "whole.jsonl").read_text()
    path.write_text(lines[: lines.index("\n") + 40])  # one lesson, and a part of the next
    again = collect(summarizer, tasks, path)
    assert path.read_text() == lines
    assert [lesson.to_json() for lesson in again] == [lesson.to_json() for lesson in whole]


def test_a_damaged_file_is_one_clear_line(tmp_path):
    path = tmp_path / "lessons.jsonl"
    path.write_text('{"text": 1}\n')
    with pytest.raises(FileError, match="delete it to begin again"):
        read_lessons(path)
    assert read_lessons(tmp_path / "none.jsonl") == []


def test_a_lesson_survives_its_line():
    best = Best(2, np.eye(9, dtype=bool)[:3] | np.eye(9, k=1, dtype=bool)[:3], np.array([0.5, 0.25, -1], np.float32))
    lesson = Lesson("a b", True, "headline", (best,))
    again = Lesson.from_json(lesson.to_json())
    assert (again.text, again.pretokenized, again.objective) == ("a b", True, "headline")
    np.testing.assert_array_equal(again.lists[0].masks, best.masks)
    np.testing.assert_array_equal(again.lists[0].scores, best.scores)
