"""Datelines, capitals and markup, as people write them."""

from __future__ import annotations

import pytest

from tersely.text.markup import looks_like_markup, without_markup
from tersely.text.punctuation import capitalized, dateline_end


@pytest.mark.parametrize(
    "dateline",
    [
        "WASHINGTON (AP) \u2014 ",
        "LONDON (Reuters) - ",
        "LONDON, March 3 (Reuters) - ",
        "NEW YORK, N.Y. (AP) -- ",
        "Washington (CNN) -- ",
        "(CNN) \u2014",
        "S\u00c3O PAULO (AFP) \u2013 ",
        "PARIS \u2014 ",
        "NEW YORK (AP) _ ",
        "WASHINGTON, D.C. -- ",
        "BOSTON, May 5, 2021 (GLOBE NEWSWIRE) -- ",
    ],
)
def test_datelines(dateline: str) -> None:
    assert dateline_end(f"{dateline}The ship sank.") == len(dateline)


@pytest.mark.parametrize(
    "text",
    [
        "NASA \u2014 the agency for space \u2014 said no",
        "The head of the network (CNN) - a big one - quit",
        "Apple (AAPL) - The shares fell",
        "A plan (AP) for all",
        "The U.S. (AP) said",
        "IBM - The firm",
        "",
    ],
)
def test_what_is_no_dateline(text: str) -> None:
    assert dateline_end(text) == 0


def test_a_capital_is_for_ordinary_words() -> None:
    found = [
        capitalized(word)
        for word in "ship o'brien well-known \u00e9t\u00e9 iPhone eBay 5th x@y.org amazon.com \u00dfa".split()
    ]
    assert found == "Ship O'brien Well-known \u00c9t\u00e9 iPhone eBay 5th x@y.org amazon.com \u00dfa".split()


@pytest.mark.parametrize("opened", ["<a ", "<a x='", "<a", "<!--", "<![", "<?", "</a ", "<p>", "<head>", "<script>"])
@pytest.mark.parametrize("end", ["", ">", "-->"])
def test_markup_that_is_not_closed_is_read_once(opened: str, end: str) -> None:
    """Where each of these is followed to the end of the text, this takes hours."""
    assert "ship" in without_markup(f"ship {opened * 100_000}{end}")


def test_markup() -> None:
    page = "<head><title>x</title></head><p>AT&amp;T <em>b</em>uys&nbsp;it.</p><script>a < b</script><p>No &lt;b&gt;!"
    assert without_markup(page) == "AT&T buys it. No <b>!"
    assert without_markup("3 < 5 and x<y, R&D") == "3 < 5 and x<y, R&D"
    assert (
        without_markup('<a title="5 > 3">Ships</a><!-- <b> --> sail<BR/>on<head>x<head></HEAD> home')
        == "Ships sail on home"
    )
    assert without_markup("a ship <![x ran </3 <b") == "a ship <![x ran </3 <b"  # nothing is closed
    assert without_markup("ships <script>x < y") == "ships"
    assert looks_like_markup(page)
    assert not looks_like_markup("if a<b and c>d then R&D; <3")
