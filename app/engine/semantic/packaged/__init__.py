"""The packaged models: one for English, one for a hundred other languages."""
