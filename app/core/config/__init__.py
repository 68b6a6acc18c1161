"""Settings: read once, every problem reported at once."""
