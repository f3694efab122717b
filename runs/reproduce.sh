#!/bin/sh
# Make the outputs behind docs/reproduction.md anew, then the page. From the repository's root:
#   TERSELY_DEV=folder runs/reproduce.sh
# It resumes: the same command goes on where it was stopped. Outputs hold text of the data and stay in STATE; what is
# stored in results/reproduction is figures and kept positions. Other bundles join if they are there: HC_article from
# runs/train_article.sh, other vectors from runs/train_vectors.sh.
# Hours on two free cores, WORKERS=2 (HOURS_PLACEHOLDER):
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
IFS='
'
# shellcheck disable=SC2086  # a line is a word
python benchmarks/reproduce.py --dev "$dev" --state "$state" --workers "${WORKERS:-2}" ${bundles:+--bundle $bundles}
python docs/make_reproduction.py
