"""The recipe of the paper (section 4.1 and the authors' program): sizes, optimiser and vectors as published.

It wants a GPU or patience: on two CPU cores one epoch of 3.8 million titles takes days. "Batch 256" is sentences
there, tokens here; the budget is 50 epochs of 3.8 million titles of about nine words and the end symbol.
"""

from tersely.training.recipes.recipe import Recipe

RECIPE = Recipe(
    vocabulary=70_000,
    longest=20,
    embedding=1024,
    hidden=1024,
    layers=2,
    layer_norm=True,
    dropout=0.5,
    tied=False,
    shared=False,
    optimizer="sgd",
    rate=0.1,
    warmup=0.0,
    clip=15.0,
    momentum=0.9,
    batch=256 * 10,
    tokens=50 * 38_000_000,
    finish=0.0,
    negatives=0,
    penalty=0.0,
    vector_side="titles",
    vector_size=700,
    vector_epochs=20,
    vector_negatives=10,
    vector_min_count=5,
    vector_rate=0.2,
    vector_subsample=5e-6,
    vector_whitened=False,
    idf_side="vectors",
)
