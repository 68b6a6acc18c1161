"""Searches, later: from the question to the cited answer, one step a module."""
