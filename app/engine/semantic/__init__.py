"""Meaning as vectors: models that embed texts, and the order of passages by what they mean."""
