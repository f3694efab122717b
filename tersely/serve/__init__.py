"""Stage 12: the HTTP service and its page. Start reading in `app.py`."""

from tersely.errors import missing_extra

try:
    import fastapi
    import prometheus_client
except ImportError:
    raise missing_extra("serve", "fastapi and prometheus-client") from None

__all__ = ["fastapi", "prometheus_client"]
