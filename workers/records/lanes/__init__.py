"""Some pages of a run: fetched, read and kept, slice by slice."""
