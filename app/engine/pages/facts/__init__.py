"""The statements of a page about itself: dates, language, publisher, versions."""
