#!/bin/sh
# Train HC_article, the paper's second model: the language models read article sentences, all else as in
# runs/train_default.sh, the same sizes and hours (an hour and a half on two cores). It does not ship; docs/reproduction.md
# compares it. Run it from the repository's root: DATA=folder-of-the-corpora runs/train_article.sh. It resumes if it was
# stopped. Sentences of articles are longer than titles, so `--longest` is raised from the recipe's: at most 40 words.
set -eu
DATA=${DATA:-}
OUT=${OUT:-work/articles-en}
RUN=${RUN:-$OUT.run}
[ -d "$DATA/articles" ] || { echo "no corpora in '$DATA': name their folder, DATA=... $0" >&2; exit 1; }

exec tersely train --recipe default --lm-side articles --longest 40 --hours "${HOURS:-1.5}" --run "$RUN" --out "$OUT" \
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
