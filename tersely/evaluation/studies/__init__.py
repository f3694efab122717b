"""The studies of an experiment, one a file: each takes the experiment's setting and gives a section of the report."""
