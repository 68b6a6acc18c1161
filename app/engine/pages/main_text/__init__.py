"""The main text of a page: what its author wrote, told from the furniture of its site."""
