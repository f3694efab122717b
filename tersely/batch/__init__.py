"""Stage 7: millions of sentences: files in, files out, on one machine or on a Ray cluster. `local.py` is the way in."""
