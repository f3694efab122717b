#!/bin/sh
# Train HC_article, the paper's second model: language models of article sentences, with the same hours as those of titles in
# the bundle that ships, and everything else as in runs/train_default.sh. About an hour and a half on two cores. It does not
# ship; docs/reproduction.md compares it. Run it from the repository's root: DATA=folder-of-the-corpora runs/train_article.sh.
# It resumes if it was stopped. Sentences of articles are longer than titles, so `--longest` is raised to 40 words.
set -eu
OUT=${OUT:-work/articles-en} TREES="" exec runs/train_default.sh --lm-side articles --longest 40
