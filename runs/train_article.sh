#!/bin/sh
# Train HC_article, the paper's second model: the language models read article sentences, all else as in
# runs/train_default.sh, the same sizes and hours (an hour and a half on two cores). It does not ship; docs/reproduction.md
# compares it. Run it from the repository's root: DATA=folder-of-the-corpora runs/train_article.sh. It resumes if it was
# stopped. Sentences of articles are longer than titles, so `--longest` is raised from the recipe's: at most 40 words.
set -eu
OUT=${OUT:-work/articles-en} TREES="" exec runs/train_default.sh --lm-side articles --longest 40
