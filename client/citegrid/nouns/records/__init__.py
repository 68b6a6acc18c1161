"""Jobs that read pages, and their records."""
