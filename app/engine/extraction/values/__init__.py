"""From a slice of a page to a typed value, and whether two values say the same."""
