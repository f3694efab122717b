#!/usr/bin/env bash
# Tunes the weights of the objective `headline` on the development data, and prints the table that they are chosen by.
# The weights are stored in the bundle's description. About ten minutes on one core.
set -euo pipefail
cd "$(dirname "$0")/.."
dev=${1:-../shared/data/dev/gigaword}
bundle=${2:-tersely/models/headlines-en}
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
.venv/bin/python -m tersely.training.tune --dataset "$dev" --bundle "$bundle" --limit 300
