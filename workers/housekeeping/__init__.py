"""The jobs that keep the house: retention, messages, books, erasure."""
