"""BM25 over array blocks of postings, in generations."""
