"""Counts as people read them."""


def counted(number: int, noun: str) -> str:
    """`1 page`, `1,200 pages`; for nouns whose plural ends in s."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
