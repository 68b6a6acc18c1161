"""Quotes on the stored pages they were cut from."""
