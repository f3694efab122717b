#!/usr/bin/env bash
# Tunes the weights of the objectives `headline` and `sentence` on the development data, stores them in the bundle's
# description, and prints the figures on the halves that they were not tuned on. About an hour on two cores.
#   runs/tune.sh [development data] [bundle]
set -euo pipefail
cd "$(dirname "$0")/.."
dev=${1:-../shared/data/dev}
bundle=${2:-tersely/models/headlines-en}
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
.venv/bin/python -m tersely.training.tune --objective headline --dataset "$dev/gigaword" --bundle "$bundle"
.venv/bin/python -m tersely.training.tune --objective sentence --dataset "$dev/broadcast" --bundle "$bundle"
.venv/bin/python benchmarks/quality.py --dev "$dev" --bundle "$bundle" --out results/quality.json
