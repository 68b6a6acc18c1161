"""Jobs on their way to Redis, and those that nobody hears of."""
