"""Text analysis: from text to index terms, the same at index time and at query time."""
