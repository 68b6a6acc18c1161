"""Verification that a quote still stands, in the stored text and on the page."""
