#!/bin/sh
# Make two copies of a bundle, with vectors of titles only and of articles only; the language models are not trained again. Run
# it from the repository's root: DATA=folder-of-the-corpora runs/train_vectors.sh [bundle]. Six epochs of 34 million words of
# titles or 28 million of articles, minutes on a free core each. It resumes. Results: OUT-titles and OUT-articles.
set -eu
DATA=${DATA:-}
bundle=${1:-tersely/models/headlines-en}
OUT=${OUT:-work/$(basename "$bundle")-vectors}
[ -d "$DATA/titles" ] || { echo "no corpora in '$DATA': name their folder, DATA=... $0" >&2; exit 1; }
PATH="$PWD/.venv/bin:$PATH"

for side in titles articles; do
    [ -f "$OUT-$side/bundle.json" ] || tersely train --start-from "$bundle" --processes "${PROCESSES:-2}" \
        --vectors-from "$DATA/$side"/*.txt.xz --out "$OUT-$side"
done
