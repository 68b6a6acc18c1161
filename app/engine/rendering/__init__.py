"""Pages whose text only JavaScript writes, run in a browser that has no way out but the fetcher."""
