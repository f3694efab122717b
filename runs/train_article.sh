#!/bin/sh
# Train HC_article, the paper's second model: the language models read article sentences for as many hours as those of the
# bundle that ships have read titles; all else as in runs/train_default.sh. About an hour and a half on two cores. It does not
# ship; docs/reproduction.md compares it. Run it from the repository's root: DATA=folder-of-the-corpora runs/train_article.sh.
# It resumes if it was stopped. Sentences of articles are longer than titles, so `--longest` is raised: at most 40 words.
set -eu
OUT=${OUT:-work/articles-en} TREES="" exec runs/train_default.sh --lm-side articles --longest 40
