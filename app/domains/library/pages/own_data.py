"""Pages of the web are nobody's."""

from typing import Final

from app.core.db.own_data import nobodys

PAGES_TABLES: Final = nobodys("pages of others, as they were read", "web_pages")
