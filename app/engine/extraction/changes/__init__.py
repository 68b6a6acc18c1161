"""What changed in the text of a watched page between two looks."""
