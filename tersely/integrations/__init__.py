"""Stage 8: tersely in other people's programs: filters of template engines."""
