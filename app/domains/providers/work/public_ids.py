"""How items of work are called in public."""

PREFIX = "work"
