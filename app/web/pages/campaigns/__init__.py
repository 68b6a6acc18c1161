"""Pages of campaigns and rewards."""
