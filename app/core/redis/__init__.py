"""Redis: its clients, and what processes share through it."""
