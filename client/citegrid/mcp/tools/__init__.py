"""The tools, and the shapes of what they take and give."""
