"""Beside the flow: recipes, the settings of a training run. One small file each; `recipe.py` says what they mean."""

from tersely.training.recipes.recipe import Recipe, override, recipe

__all__ = ["Recipe", "override", "recipe"]
