"""Answers a model writes: only what the stored pages support is shown."""
