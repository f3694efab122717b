"""A recipe for seconds: to test, or to see whether a corpus can be read at all."""

from tersely.training.recipes.recipe import Recipe

RECIPE = Recipe(
    vocabulary=2_000,
    min_count=1,
    embedding=16,
    hidden=24,
    rate=0.02,
    batch=256,
    tokens=20_000,
    head=50,
    negatives=50,
    vector_size=16,
    vector_min_count=1,
    held_out=20,
    checkpoint_minutes=0.05,
)
