"""Admission of new work: what waits, and how fast it drains."""
