"""Answers a model writes: nothing of it is shown that the stored pages do not bear out."""
