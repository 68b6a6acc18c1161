"""What the author of a page wrote, told from the furniture of its site."""
