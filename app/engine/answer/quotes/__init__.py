"""A quote found again in the stored text of its page."""
