"""How sure an answer is, and how good a source."""
