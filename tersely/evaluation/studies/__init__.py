"""The studies of an experiment, one a file: each takes the setting and returns a section of the report."""
