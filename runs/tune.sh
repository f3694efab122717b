#!/bin/sh
# Tune the weights of `headline`, `telegraph` and `sentence` on development data, and print the figures on the halves that
# they were not tuned on. An hour or more on two cores. From the repository's root:
#   TERSELY_DEV=folder runs/tune.sh [bundle]
# The result is a copy of the bundle in OUT (default: work/NAME-tuned). An objective for which nothing better is found keeps
# its weights. Weights that readers and not ROUGE should decide are fixed: FIXED="grammar=3 ..." for headline (default: none).
set -eu
bundle=${1:-tersely/models/headlines-en}
out=${OUT:-work/$(basename "$bundle")-tuned}
dev=${TERSELY_DEV:-}
[ -d "$dev/gigaword" ] || { echo "no development data in '$dev': name its folder, TERSELY_DEV=... $0" >&2; exit 1; }
[ ! -e "$out" ] || { echo "$out exists: delete it, or give another folder, OUT=... $0" >&2; exit 1; }
PATH="$PWD/.venv/bin:$PATH"

mkdir -p "$(dirname "$out")"
cp -r "$bundle" "$out"
# shellcheck disable=SC2086  # FIXED is a list of words
tersely tune "$dev/gigaword" --bundle "$out" --out "$out" --objective headline ${FIXED:+--fixed $FIXED}
tersely tune "$dev/gigaword" --bundle "$out" --out "$out" --objective telegraph
tersely tune "$dev/broadcast" "$dev/compression/google400.jsonl" --bundle "$out" --out "$out" --objective sentence
python benchmarks/quality.py --dev "$dev" --bundle "$out"
