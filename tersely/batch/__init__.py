"""Stage 11: millions of sentences: files in, files out, on one machine or a Ray cluster. `local.py` is the way in."""
