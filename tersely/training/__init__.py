"""Training: makes bundles. Text in, bundle out; `build.py` is where to begin reading."""
