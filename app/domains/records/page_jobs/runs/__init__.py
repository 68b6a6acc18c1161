"""Runs of page jobs: their pages, and what follows when a part of one has ended."""
