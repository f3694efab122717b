"""The filter for template engines, in the real engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tersely.errors import InputError
from tersely.integrations.template_filter import TemplateFilter
from tersely.summary.summarizer import Summarizer

jinja2 = pytest.importorskip("jinja2")
django = pytest.importorskip("django")
from django.conf import settings  # noqa: E402
from django.template import Context, Engine  # noqa: E402
from django.test.utils import override_settings  # noqa: E402
from django.utils.safestring import mark_safe  # noqa: E402
from django.utils.translation import gettext_lazy  # noqa: E402
from markupsafe import Markup  # noqa: E402

TITLE = "The german ship ran aground early on Tuesday & authorities said there were no casualties."
LONG_WORD = "Donaudampfschifffahrtsgesellschaft"
Render = Any

if not settings.configured:
    settings.configure(USE_I18N=False)


class Jinja:
    def __init__(self, bundle: Path) -> None:
        self.bundle = str(bundle)

    def __call__(self, use: str, value: Any, autoescape: bool = True, **defaults: Any) -> str:
        from tersely.integrations.jinja import tersely_filter

        environment = jinja2.Environment(autoescape=autoescape)
        environment.filters["tersely"] = tersely_filter(bundle=self.bundle, **defaults)
        made: str = environment.from_string(f"{{{{ value|{use} }}}}").render(value=value)
        return made


class Django:
    def __init__(self, bundle: Path) -> None:
        self.bundle = str(bundle)

    def __call__(self, use: str, value: Any, autoescape: bool = True, **defaults: Any) -> str:
        engine = Engine(builtins=["tersely.integrations.django"])
        use = use.replace("(", ":").replace(")", "")
        with override_settings(TERSELY={"bundle": self.bundle, **defaults}):
            context = Context({"value": value}, autoescape=autoescape)
            made: str = engine.from_string(f"{{{{ value|{use} }}}}").render(context)
            return made


@pytest.fixture(params=[Jinja, Django])
def render(request: pytest.FixtureRequest, tiny_bundle: Path) -> Render:
    return request.param(tiny_bundle)


@pytest.mark.parametrize(
    ("use", "options"),
    [
        ("tersely(40)", {"chars": 40}),
        ('tersely("40 chars")', {"chars": 40}),
        ('tersely("6 words, keep=negation, fast=yes")', {"words": 6, "keep": "negation", "fast": True}),
        ('tersely("4-6 words")', {"words": (4, 6)}),
        ('tersely("40 chars, 38 bytes")', {"chars": 40, "bytes": 38}),
        ("tersely", {"chars": 60}),
    ],
)
def test_a_length_and_options_in_one_argument(
    render: Render, summarizer: Summarizer, use: str, options: dict[str, Any]
) -> None:
    assert render(use, TITLE, autoescape=False) == summarizer(TITLE, **options)


def test_jinja_has_keywords(tiny_bundle: Path, summarizer: Summarizer) -> None:
    made = Jinja(tiny_bundle)("tersely(words=3, keep=['Tuesday'])", TITLE, autoescape=False)
    assert made == summarizer(TITLE, words=3, keep=["Tuesday"])


def test_django_has_a_filter_for_words(tiny_bundle: Path, summarizer: Summarizer) -> None:
    assert Django(tiny_bundle)("tersely_words:3", TITLE) == summarizer(TITLE, words=3)


def test_defaults_come_from_the_site(render: Render, summarizer: Summarizer) -> None:
    assert render("tersely", TITLE, words=3) == summarizer(TITLE, words=3)
    assert render("tersely(30)", TITLE, words=3, drop="ship", autoescape=False) == summarizer(
        TITLE, chars=30, drop="ship"
    )
    with pytest.raises(InputError, match="errors"):
        render("tersely", TITLE, errors="ignore")
    with pytest.raises(InputError, match="wordz"):
        render("tersely", TITLE, wordz=3)
    for cache in ("10", -1, 1e3, 10**30):
        with pytest.raises(InputError, match="cache must be"):
            render("tersely", TITLE, cache=cache)


@pytest.mark.parametrize("given", [None, 60, {60: "chars"}])
def test_the_setting_is_a_dict_of_options(given: object) -> None:
    engine = Engine(builtins=["tersely.integrations.django"])
    with (
        override_settings(TERSELY=given),
        pytest.raises(InputError, match="the setting TERSELY must be a dict of options, not"),
    ):
        engine.from_string("{{ title|tersely:60 }}").render(Context({"title": TITLE}))


def test_what_is_shown_is_escaped_once_and_counted_as_shown(render: Render) -> None:
    shown = "Tuesday & on"
    safe = Markup("Tuesday &amp; on") if isinstance(render, Jinja) else mark_safe("Tuesday &amp; on")
    assert render(f"tersely({len(shown)})", shown) == "Tuesday &amp; on"
    assert render(f"tersely({len(shown)})", safe) == "Tuesday &amp; on"
    assert render(f"tersely({len(shown)})", shown, autoescape=False) == shown


def test_safe_markup_loses_its_tags_and_stays_safe(render: Render) -> None:
    markup = "<b>Tuesday</b> &lt;script&gt; on"
    safe = Markup(markup) if isinstance(render, Jinja) else mark_safe(markup)
    for autoescape in (True, False):  # an entity must not become a tag
        assert render("tersely(60)", safe, autoescape=autoescape) == "Tuesday &lt;script&gt; on"


def test_a_text_that_cannot_be_shortened_does_not_break_the_page(render: Render) -> None:
    assert render("tersely(10)", LONG_WORD) == "Donaudamp…"
    assert render("tersely(10)", LONG_WORD, errors="whole") == LONG_WORD
    with pytest.raises(InputError, match="10"):
        render("tersely(10)", LONG_WORD, errors="raise")
    assert render("tersely(10)", "") == render("tersely(10)", "  ") == ""
    assert render("tersely(10)", "?!") == "?!"
    assert len(render("tersely(60)", "ship ran " * 2000)) <= 60


@pytest.mark.parametrize("length", ["10 bytes", "2 words", "ratio=0.5", "1 sms", "60 pixels"])
def test_a_cut_keeps_the_limit_of_every_unit(render: Render, length: str) -> None:
    shown = render(f'tersely("{length}, keep=absent")', "ships " * 100)
    assert shown == "" or ("ships " * 100).startswith(shown.rstrip("…"))
    assert 0 < len(shown) < 320


def test_a_cut_leaves_graphemes_whole(render: Render) -> None:
    assert render("tersely(2)", "e\u0301" * 4) == "e\u0301…"


def test_a_wrong_template_is_named(render: Render) -> None:
    for use, word in [('tersely("x words")', "words"), ('tersely("wordz=3")', "wordz"), ("tersely(0)", "chars")]:
        with pytest.raises(InputError, match=word):
            render(use, TITLE)


def test_values_that_are_no_strings(render: Render, summarizer: Summarizer) -> None:
    assert render("tersely(10)", 2024) == "2024"
    assert render("tersely(10)", None) == "None"
    if isinstance(render, Django):
        assert render("tersely(30)", gettext_lazy(TITLE), autoescape=False) == summarizer(TITLE, chars=30)
    else:
        assert render("tersely(10)", jinja2.Undefined()) == ""


def test_django_loads_it_as_a_library(tiny_bundle: Path, summarizer: Summarizer) -> None:
    engine = Engine(libraries={"tersely": "tersely.integrations.django"})
    with override_settings(TERSELY={"bundle": str(tiny_bundle)}):
        made = engine.from_string("{% load tersely %}{{ value|tersely_words:3 }}").render(Context({"value": TITLE}))
    assert made == summarizer(TITLE, words=3)


def test_a_text_is_shortened_once(tiny_bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shorten, seen = TemplateFilter(str, bundle=str(tiny_bundle)), []
    attempt = Summarizer.attempt
    monkeypatch.setattr(Summarizer, "attempt", lambda self, *args: seen.append(args) or attempt(self, *args))
    assert shorten(TITLE, 30) == shorten(TITLE, 30)
    assert len(seen) == 1
    shorten(TITLE, 30, objective={"fluency": 1.0})  # which is no key of a dict
