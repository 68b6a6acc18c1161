"""Commands of campaigns and what they pay."""
