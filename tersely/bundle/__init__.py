"""Stage 6: bundles, the folders that hold everything learned."""
