"""Stage 8: what all web pages and services share: the server, its middleware, the table of errors, and the theme."""

from pathlib import Path

from tersely.errors import missing_extra

try:
    import starlette
    import uvicorn
except ImportError:
    raise missing_extra("serve", "starlette and uvicorn") from None

THEME = Path(__file__).parent / "theme"  # static files of all pages

__all__ = ["THEME", "starlette", "uvicorn"]
