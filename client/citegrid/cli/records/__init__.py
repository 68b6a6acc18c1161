"""Commands of jobs and records."""
