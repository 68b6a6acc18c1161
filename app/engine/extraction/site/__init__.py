"""What several pages of a site teach: their template, and what examples show of it."""
