"""The changes in the text of a watched page between two looks."""
