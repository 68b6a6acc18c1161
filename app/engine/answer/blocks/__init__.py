"""Stored text as blocks: headings, items, tables, listings, and how they are shown."""
