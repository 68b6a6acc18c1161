"""What keeps the house: retention, messages, books, erasure."""
