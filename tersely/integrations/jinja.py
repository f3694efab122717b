"""A filter for Jinja (the extra `jinja`):

environment.filters["tersely"] = tersely_filter(fast=True)

{{ title|tersely(60) }}   {{ title|tersely(words=8, keep="numbers") }}
"""

from __future__ import annotations

from typing import Any

from tersely.errors import missing_extra
from tersely.integrations.template_filter import TemplateFilter

try:
    from markupsafe import escape
except ImportError:
    raise missing_extra("jinja", "jinja2") from None


def tersely_filter(**settings: Any) -> TemplateFilter:
    """The filter. Settings are defaults of its options, and `bundle`, `errors` and `cache` of `TemplateFilter`."""
    return TemplateFilter(escape, **settings)
