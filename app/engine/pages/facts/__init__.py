"""What a page says of itself: dates, language, publisher, versions."""
