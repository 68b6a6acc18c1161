"""Searches and memory."""
