"""The media types of documents that come as files."""

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
EPUB = "application/epub+zip"
CSV = "text/csv"
TSV = "text/tab-separated-values"
