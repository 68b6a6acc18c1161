"""Lists of domains are nobody's."""

from typing import Final

from app.core.db.own_data import nobodys

SOURCES_TABLES: Final = nobodys("the operator's", "listed_domains")
