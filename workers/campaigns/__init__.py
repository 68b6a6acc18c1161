"""Campaigns: finding the pages of a run, reading them, closing the run."""
