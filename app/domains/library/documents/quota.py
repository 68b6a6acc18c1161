"""The quota of an account's documents."""

from dataclasses import dataclass
from typing import Self

from app.core.config.settings import Settings
from app.core.errors import Conflict, RateLimited
from app.domains.library.documents.corpus_store import Holding


class CorpusQuotaExceeded(Conflict):
    """The account has as many corpora, documents or bytes as it may have; delete some first."""

    code = "corpus_quota_exceeded"


@dataclass(frozen=True, slots=True)
class Quota:
    """The most documents of an account, their bytes and passages, and its uploads in an hour."""

    documents: int
    bytes: int
    passages: int
    uploads: int

    @classmethod
    def of(cls, settings: Settings) -> Self:
        return cls(
            settings.corpora_documents,
            settings.corpora_bytes,
            settings.corpora_passages,
            settings.corpora_uploads_per_hour,
        )

    def fits(
        self, there: Holding, *, documents: int = 0, bytes: int = 0, passages: int = 0
    ) -> bool:
        """True if so many more are within the quota; less of something always is."""
        return (
            (documents <= 0 or there.documents + documents <= self.documents)
            and (bytes <= 0 or there.bytes + bytes <= self.bytes)
            and (passages <= 0 or there.passages + passages <= self.passages)
        )

    def check_upload(self, holding: Holding, *, is_new: bool, added_bytes: int) -> None:
        """Raises CorpusQuotaExceeded, RateLimited."""
        if holding.documents + is_new > self.documents:
            raise CorpusQuotaExceeded(why=f"{holding.documents} documents")
        if added_bytes > 0 and holding.bytes + added_bytes > self.bytes:
            raise CorpusQuotaExceeded(why=f"{holding.bytes} bytes")
        if holding.passages >= self.passages:
            raise CorpusQuotaExceeded(why=f"{holding.passages} passages")
        if holding.uploads >= self.uploads:
            raise RateLimited(
                why="uploads of this hour", headers={"Retry-After": str(holding.seconds_left)}
            )
