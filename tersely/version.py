"""The version of the package, and nothing else, so that the build reads it without importing anything."""

__version__ = "0.1.0"
