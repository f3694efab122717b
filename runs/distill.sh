#!/bin/sh
# Make the selector of headlines-en, as it ships: the search shortens article sentences, a selector learns from that. A
# few hours on two cores; it resumes. From the repository's root, with a folder of sentences, one a line (.txt.xz):
#   ARTICLES=folder runs/distill.sh [out]
set -eu
articles=${ARTICLES:-}
out=${1:-work/headlines-en}
[ -d "$articles" ] || { echo "no sentences in '$articles': name their folder, ARTICLES=... $0" >&2; exit 1; }
PATH="$PWD/.venv/bin:$PATH"

OMP_NUM_THREADS=1 tersely distill --sentences "$articles"/*.txt.xz --out "$out" --count "${COUNT:-8000}" \
    --workers "${WORKERS:-2}"
