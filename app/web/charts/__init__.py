"""Charts as SVG, each with its words and its table."""
