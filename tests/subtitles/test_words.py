"""Tags, speakers, fillers, breaks and runs, on texts whose answer is visible."""

from __future__ import annotations

import pytest

from tersely.sentence.language import Language
from tersely.subtitles.breaks import Frame, Layout
from tersely.subtitles.condensing import with_marks
from tersely.subtitles.cues import Cue
from tersely.subtitles.fillers import without_fillers
from tersely.subtitles.limits import Limits, cps_of
from tersely.subtitles.markup import Word, utterances, visible, with_tags
from tersely.subtitles.runs import runs

LANGUAGE = Language({"small-in-titles": frozenset(["the", "and", "of"]), "before-nouns": frozenset(["the"])})


def words(text: str) -> list[Word]:
    return [Word(word, i) for i, word in enumerate(text.split())]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Um, I think so.", "I think so."),
        ("It was, you know, hard.", "It was hard."),
        ("It was hard, you know, and I left.", "It was hard, and I left."),
        ("I would come with you, you know, if I could.", "I would come with you if I could."),
        ("You're asking, um, if it works.", "You're asking if it works."),
        ("Mum, um, the goat is gone.", "Mum, the goat is gone."),
        ("And names, I mean, names are hard.", "And names are hard."),
        ("Why? We, uh, we don't know.", "Why? We don't know."),
        ("I never liked it, it pulls.", "I never liked it, it pulls."),
        ("It was hard, you know.", "It was hard."),
        ("She was, um, she was a nurse.", "She was a nurse."),
        ("I, I think the the door is open.", "I think the door is open."),
        ("Yes. Well, no.", "Yes. No."),
        ("You know the way. It is a kind of cake.", "You know the way. It is a kind of cake."),
        ("Do as well, like you said.", "Do as well, like you said."),
        ("Um.", "Um."),
        ("No, no, no.", "No, no, no."),
    ],
)
def test_fillers_go_where_they_are_set_off(text: str, left: str) -> None:
    assert " ".join(word.text for word in without_fillers(words(text))) == left


def test_what_must_stay_is_no_filler() -> None:
    text = "Well, I mean, no."
    assert [word.text for word in without_fillers(words(text), keep={"well"})] == ["Well,", "no."]
    assert [word.text for word in without_fillers(words(text), fixed={0, 1, 2})] == text.split()


@pytest.mark.parametrize(
    ("source", "kept", "made"),
    [
        ("You locked it. As if a river cares!", "You locked it", "it"),
        ("Is that true? She never told Mr. Hale.", "Is that true", "true?"),
        ("Did you ever tell Mr. Hale about it?", "Did you tell Mr. Hale", "Hale?"),
        ("It rains all the time, doesn't it?", "It rains", "rains."),
        ("It rains all the time, doesn't it?", "It rains doesn't it", "it?"),
        ("I have one question: who paid?", "I have one question?", "question."),
    ],
)
def test_the_mark_at_the_end_is_that_of_the_last_sentence_kept(source: str, kept: str, made: str) -> None:
    shown = [(word, source.index(word.rstrip("?"))) for word in kept.split()]
    assert with_marks(shown, source, 5)[-1][0] == made


def test_speakers_labels_and_dots_are_set_aside() -> None:
    first, second = utterances("- ANNA: …and <b>then</b>\nhe left,\n- Who?")
    assert (first.prefix, first.words, first.suffix) == ("- ANNA: …", ("and", "then", "he", "left"), ",")
    assert (second.prefix, second.words) == ("- ", ("Who?",))


@pytest.mark.parametrize(
    ("text", "kept", "made"),
    [
        ("<i>one two three</i>", [0, 2], "<i>one three</i>"),
        ("one <b>two</b> three", [0, 2], "one three"),
        ("one <b>two three</b>", [0, 2], "one <b>three</b>"),
        ("{\\an8}one two", [1], "{\\an8}two"),
        ("<v Bob>one two", [1], "<v Bob>two"),
        ("one {\\i1}two{\\i0}", [0, 1], "one {\\i1}two{\\i0}"),
        ("<i>one two", [1], "<i>two"),
    ],
)
def test_tags_stay_with_the_words_that_are_left(text: str, kept: list[int], made: str) -> None:
    said = utterances(text)[0]
    assert said.head + with_tags([[Word(said.words[i], i) for i in kept]], said.inner) == made


def test_entities_of_webvtt_are_one_character() -> None:
    assert visible("R&amp;D <i>x</i>", vtt=True) == "R&D x"
    assert with_tags([[Word("R&D", 0)]], [], vtt=True) == "R&amp;D"


def test_a_line_is_broken_before_a_conjunction_and_not_after_an_article() -> None:
    layout = Layout(LANGUAGE)
    found = layout.lines(words("the cat sat and the dog ran"), Frame(60, 2, 20))
    assert found is not None
    assert [" ".join(word.text for word in line) for line in found] == ["the cat sat", "and the dog ran"]
    assert layout.lines(words("one two"), Frame(60, 2, 20)) == [words("one two")]
    assert layout.lines(words("one two"), Frame(6, 2, 20)) is None
    assert layout.lines(words("extraordinary"), Frame(60, 2, 10)) is None


@pytest.mark.parametrize(("text", "shown"), [("two", "two,"), ("two.", "two.")])
def test_a_comma_at_the_end_of_a_cue_goes_with_its_sentence(text: str, shown: str) -> None:
    assert Layout(LANGUAGE).lines(words(text), Frame(60, 2, 20, suffix=",")) == [words(shown)]


def test_words_stay_close_to_their_cue() -> None:
    frames = [Frame(11, 1, 42), Frame(11, 1, 42)]
    found = Layout(LANGUAGE).over_cues(words("one two six ten"), [0, 1, 1, 1], frames)
    assert found is not None
    assert [" ".join(word.text for word in lines[0]) for lines in found] == ["one", "two six ten"]
    assert Layout(LANGUAGE).over_cues(words("one"), [0], frames) is None  # a cue would be empty


def cue(start: int, end: int, text: str) -> Cue:
    return Cue("1", start, end, text)


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ("He went home", "and slept.", True),
        ("He went home,", "I stayed.", True),
        ("He went…", "…home.", True),
        ("He went home.", "and slept.", False),
        ("- He went home", "and slept.", False),
        ("He went home", "- And slept.", False),
        ("<v Bob>He went home", "<v Ann>and slept.", False),
    ],
)
def test_a_sentence_goes_on_in_the_next_cue(first: str, second: str, together: bool) -> None:
    found = list(runs([cue(0, 1000, first), cue(1000, 2000, second)]))
    assert (len(found) == 1) == (together or first.startswith("- He"))
    assert len(list(runs([cue(0, 1000, first), cue(9000, 10_000, second)]))) == 2
    assert len(list(runs([cue(0, 1000, first), cue(1000, 1000, second)]))) == 2


def test_limits_count_what_is_seen() -> None:
    limits = Limits(cps=10, line=5, lines=1)
    assert limits.problems(cue(0, 1000, ""), "<i>12345</i>") == []
    assert len(limits.problems(cue(0, 1000, ""), "123456\n12345")) == 3
    assert cps_of(cue(0, 0, ""), "x") == float("inf")
    assert limits.chars(cue(0, 60_000, "")) == 5
