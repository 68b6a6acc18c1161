"""Pages of many records: what repeats, its cells and columns, and which field each column holds."""
