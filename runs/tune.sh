#!/bin/sh
# Tune the weights of `headline`, `telegraph` and `sentence` on development data, store them in a bundle, and print the
# figures on the halves that they were not tuned on. An hour or more on two cores. From the repository's root:
#   TERSELY_DEV=folder runs/tune.sh [bundle]
# What reading and not ROUGE has to decide is fixed: FIXED="grammar=3 ..." for headline (none by default).
set -eu
bundle=${1:-tersely/models/headlines-en}
dev=${TERSELY_DEV:-}
[ -d "$dev/gigaword" ] || { echo "no development data in '$dev': name its folder, TERSELY_DEV=... $0" >&2; exit 1; }
PATH="$PWD/.venv/bin:$PATH"

# shellcheck disable=SC2086  # FIXED is a list of words
tersely tune "$dev/gigaword" --bundle "$bundle" --objective headline ${FIXED:+--fixed $FIXED}
tersely tune "$dev/gigaword" --bundle "$bundle" --objective telegraph
tersely tune "$dev/broadcast" "$dev/compression/google400.jsonl" --bundle "$bundle" --objective sentence
python benchmarks/quality.py --dev "$dev" --bundle "$bundle"
