"""Runs of a campaign: their pages, and how they end."""
