"""The work accepted, its life, and who is told of it."""
