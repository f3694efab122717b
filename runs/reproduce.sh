#!/bin/sh
# Make the outputs behind docs/reproduction.md again, then the page. From the repository's root:
#   TERSELY_DEV=folder runs/reproduce.sh
# The same command resumes where it was stopped. Outputs hold text of the data and stay in STATE; results/reproduction gets
# figures and kept positions. Other bundles are used if they are there: HC_article from runs/train_article.sh, other vectors
# from runs/train_vectors.sh.
# Hours on two free cores, from the CPU time of single sentences: headlines 0.25, DUC 0.05, ablations 0.2, exhaustive
# search 0.1, hill climbing 0.5; each other bundle 0.12. Less than 2 in all, plus an hour and a half for HC_article and a
# quarter of an hour for the vectors of each bundle. ONLY="headlines lead" makes only some studies of Gigaword.
set -eu
dev=${TERSELY_DEV:-}
state=${STATE:-work/reproduction}
[ -d "$dev/gigaword" ] || { echo "no development data in '$dev': name its folder, TERSELY_DEV=... $0" >&2; exit 1; }
PATH="$PWD/.venv/bin:$PATH"

set --
for bundle in "HC_article:work/articles-en" \
    "HC_title, vectors of titles:work/headlines-en-vectors-titles" \
    "HC_title, vectors of articles:work/headlines-en-vectors-articles" \
    "HC_article, vectors of titles:work/articles-en-vectors-titles" \
    "HC_article, vectors of articles:work/articles-en-vectors-articles"; do
    name=${bundle%%:*} folder=${bundle#*:}
    [ -f "$folder/bundle.json" ] || continue
    for length in words=8 words=10 ratio=0.5 bytes=75; do
        set -- "$@" "$name=paper:$length,bundle=$folder"
    done
done
[ $# -eq 0 ] || set -- --systems "$@"

experiment() {  # dataset, its other options
    name=$1
    shift
    tersely experiment "$dev/$name" --out "$state/$name" --scores results/reproduction --workers "${WORKERS:-2}" "$@"
}

# shellcheck disable=SC2086  # ONLY is a list of words
experiment gigaword --tuned 1000 --exhaustive 72 --climbing 200 "$@" \
    --only ${ONLY:-headlines lead positions ablation search climbing}
[ -n "${ONLY:-}" ] || experiment duc2003 "$@" --only duc
python docs/make_reproduction.py
