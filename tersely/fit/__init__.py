"""Many texts with named limits in one file: what is over is found, shortened, and written back into its place."""
