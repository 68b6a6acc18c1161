"""The confidence of an answer, and the quality of a source."""
