"""The lessons of several pages of a site: their template, and what examples show of it."""
