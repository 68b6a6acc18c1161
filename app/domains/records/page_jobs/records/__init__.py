"""Records as they are kept, shown and exported."""
