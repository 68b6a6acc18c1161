"""Candidates, records and their versions."""
