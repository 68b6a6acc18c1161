"""Reading a page on a node: records by rules or by a model, and judging those of others."""
