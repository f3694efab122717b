"""Stage 6: what every page and service of tersely shares: a guarded server, refusals of one shape, and the looks."""

from pathlib import Path

from tersely.errors import missing_extra

try:
    import starlette
    import uvicorn
except ImportError:
    raise missing_extra("serve", "starlette and uvicorn") from None

LOOKS = Path(__file__).parent / "looks"  # static files that all pages share

__all__ = ["LOOKS", "starlette", "uvicorn"]
