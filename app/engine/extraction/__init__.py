"""Records out of pages: schemas, candidates, typed values, and where each value was read."""
