"""Keeping the index: crawls, postings, vectors, an index beside Postgres."""
