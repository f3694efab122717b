"""Stage 11: millions of sentences: files in, files out, on one machine or a Ray cluster. `run.py` is the way in."""
