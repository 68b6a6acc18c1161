"""The answer without a model: passages of the sources, word for word."""
