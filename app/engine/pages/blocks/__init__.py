"""The one text form of a page, block by block."""
