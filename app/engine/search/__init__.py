"""Candidates and their order: the query, the index interface, rescoring."""
