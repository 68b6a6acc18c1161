"""Web search engines: asking them, and what a search makes of their results."""
