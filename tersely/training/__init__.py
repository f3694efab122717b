"""Beside the flow: makes bundles. Two corpora in, one bundle out; `build.py` is where to begin reading."""
