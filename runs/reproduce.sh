#!/bin/sh
# Make the outputs behind docs/reproduction.md anew, then the page. From the repository's root:
#   TERSELY_DEV=folder runs/reproduce.sh
# It resumes: the same command goes on where it was stopped. Outputs hold text of the data and stay in STATE; what is
# stored in results/reproduction is figures and kept positions. Other bundles join if they are there: HC_article from
# runs/train_article.sh, other vectors from runs/train_vectors.sh.
# Hours on two free cores, from the time that single sentences took: headlines 1.2, DUC 0.2, ablations 0.8, exhaustive search
# 0.2, hill climbing 0.2 at 8 words, 0.4 at 10 words and 2 at 50 %; each other bundle 0.5. About 5 in all. ONLY="gigaword
# duc2003" does some parts alone (benchmarks/reproduce.py --help names them).
set -eu
dev=${TERSELY_DEV:-}
state=${STATE:-work/reproduction}
[ -d "$dev/gigaword" ] || { echo "no development data in '$dev': name its folder, TERSELY_DEV=... $0" >&2; exit 1; }
PATH="$PWD/.venv/bin:$PATH"

with() { [ ! -f "$2/bundle.json" ] || bundles="${bundles:-}$1=$2
"; }
bundles=""
with "HC_article" work/articles-en
with "HC_title, vectors of titles" work/headlines-en-vectors-titles
with "HC_title, vectors of articles" work/headlines-en-vectors-articles
with "HC_article, vectors of titles" work/articles-en-vectors-titles
with "HC_article, vectors of articles" work/articles-en-vectors-articles
only=$(printf %s "${ONLY:-}" | tr " " "\n")
IFS='
'
# shellcheck disable=SC2086  # a line is a word
python benchmarks/reproduce.py --dev "$dev" --state "$state" --workers "${WORKERS:-2}" ${bundles:+--bundle $bundles} ${ONLY:+--only $only}
python docs/make_reproduction.py
