"""Commands of what is searched: the index, sources, questions."""
