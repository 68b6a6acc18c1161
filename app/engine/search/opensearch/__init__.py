"""Candidates from OpenSearch: a second adapter beside the index in Postgres."""
