"""Filters for Django's templates (the extra `django`), a library of tags and filters:

TEMPLATES = [{..., "OPTIONS": {"libraries": {"tersely": "tersely.integrations.django"}}}]
TERSELY = {"fast": True}  # defaults of the options, and `bundle`, `errors` and `cache` of `TemplateFilter`

{% load tersely %}
{{ title|tersely:60 }}   {{ title|tersely_words:8 }}   {{ title|tersely:"75 bytes, keep=numbers" }}
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tersely.errors import InputError, missing_extra, short_repr
from tersely.integrations.template_filter import TemplateFilter

try:
    from django import template
    from django.conf import settings
    from django.core.signals import setting_changed
    from django.utils.html import escape
except ImportError:
    raise missing_extra("django", "django") from None


@lru_cache(1)
def _filter() -> TemplateFilter:
    given = getattr(settings, "TERSELY", {})
    if not isinstance(given, dict) or not all(isinstance(name, str) for name in given):
        raise InputError(f"the setting TERSELY must be a dict of options, not {short_repr(given)}")
    return TemplateFilter(escape, **given)


def tersely(value: Any, length: int | str | None = None) -> str:
    """The value, shortened to so many characters, or to a length and options such as "75 bytes, keep=numbers"."""
    return _filter()(value, length)


def tersely_words(value: Any, words: int) -> str:
    """The value, shortened to so many words."""
    return _filter()(value, words=words)


register = template.Library()
register.filter("tersely", tersely)
register.filter("tersely_words", tersely_words)
# Tests of a site change its settings.
setting_changed.connect(lambda **_: _filter.cache_clear(), weak=False)
