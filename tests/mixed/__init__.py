"""Work of mixed kinds, requested over HTTP as users do, and a tally of what became of it."""
