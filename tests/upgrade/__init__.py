"""The release before this code beside it: on one schema, on the same jobs, one after the other."""
