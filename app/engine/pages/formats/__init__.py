"""Bytes of each format to the blocks of a canonical page."""
