"""The size limits of documents, by format."""

MOST_TEXT_BYTES = 5 * 1024 * 1024
MOST_MARKDOWN_BYTES = 2 * 1024 * 1024
MOST_PDF_BYTES = 20 * 1024 * 1024
