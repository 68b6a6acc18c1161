"""A run of a page job: planned, sampled, ended."""
