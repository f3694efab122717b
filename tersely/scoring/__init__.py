"""Stage 4: candidates to scores. Factors are bound to one source and multiplied by an objective."""
