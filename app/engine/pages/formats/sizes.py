"""The size limits of documents, by format."""

MOST_TEXT_BYTES = 5 * 1024 * 1024
MOST_MARKDOWN_BYTES = 2 * 1024 * 1024
MOST_FILE_BYTES = 20 * 1024 * 1024
"""Of a PDF, DOCX or EPUB."""
MOST_PAGES = 2_000
"""Of a PDF."""
