"""Stage 8: what all web pages and services share: the server, its middleware, the table of errors, and the theme."""

from importlib.util import find_spec
from pathlib import Path

from tersely.errors import missing_extra

if not (find_spec("starlette") and find_spec("uvicorn")):
    raise missing_extra("serve", "starlette and uvicorn")

THEME = Path(__file__).parent / "theme"  # static files of all pages
