#!/bin/sh
# Train a bundle as the one that ships (tersely/models/headlines-en) was: its recipe, which is the default, and its corpora.
# About an hour and a half on two cores. With TOKENS=30000000 each direction is trained on that many tokens, however long it
# takes. The one that ships changed a setting half way and got its vectors later (results/training.md), so a new run gives
# other weights. The objectives have the weights that ship; `runs/tune.sh "$OUT"` tunes them to the new models.
# Run it from the repository's root: DATA=folder-of-the-corpora runs/train_default.sh. With TREES, a folder of trees in
# CoNLL-U (runs/make_trees.sh makes one), it also trains the parser, one hour more. It resumes if it was stopped.
# Options after it go to `tersely train`: runs/train_article.sh adds two.
set -eu
DATA=${DATA:-}
OUT=${OUT:-work/headlines-en}
RUN=${RUN:-$OUT.run}
[ -d "$DATA/titles" ] || { echo "no corpora in '$DATA': name their folder, DATA=... $0" >&2; exit 1; }

budget="--hours ${HOURS:-1.5}"
[ -z "${TOKENS:-}" ] || budget="--tokens $TOKENS"
# FILE=weight in the language models, weight in the counts; results/training.md says where the weights come from.
# shellcheck disable=SC2046,SC2086  # the names of the trees and the budget are words
exec tersely train --recipe default $budget --run "$RUN" --out "$OUT" \
    --titles \
    "$DATA/titles/reuters-news.txt.xz=0.48,1" \
    "$DATA/titles/reuters-wire.txt.xz=0.12,0.1" \
    "$DATA/titles/nyt.txt.xz=0.2,0.1" \
    "$DATA/titles/rss.txt.xz=0.2,0.1" \
    --articles \
    "$DATA/articles/reuters-leads.txt.xz=1,1" \
    "$DATA/articles/rss-descriptions.txt.xz=1,0.2" \
    "$DATA/articles/newsapi-descriptions.txt.xz=1,0.2" \
    "$DATA/articles/voa.txt.xz=1,1" \
    "$DATA/articles/wikinews.txt.xz=1,1" \
    --valid "$DATA/dev/gigaword/task1_ref0.txt" --valid-pretokenized "$@" \
    ${TREES:+--trees $(ls "$TREES"/*.conllu*)}
