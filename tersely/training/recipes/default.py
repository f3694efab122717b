"""The recipe of the bundle that ships: two CPU cores and about an hour and a half. All values are in `recipe.py`."""

from tersely.training.recipes.recipe import Recipe

RECIPE = Recipe()
