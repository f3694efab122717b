#!/bin/sh
# Rebuild the bundle that ships, tersely/models/headlines-en, from ../shared/data: about an hour and a half on two cores.
# Run it from the repository's root. It resumes if it was stopped; the run's folder is RUN (default: ../runs/headlines-en).
set -eu
DATA=${DATA:-../shared/data}
RUN=${RUN:-../runs/headlines-en}
OUT=${OUT:-tersely/models/headlines-en}

# FILE=weight in the language models, weight in the counts; results/training.md says where the weights come from.
exec tersely train --recipe default --hours "${HOURS:-1.5}" --run "$RUN" --out "$OUT" \
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
    --valid "$DATA/dev/gigaword/task1_ref0.txt" --valid-pretokenized
