"""Pages of searches, answers and corpora."""
