"""The OpenSearch at INDEX_URL."""

from app.core.config.settings import Settings
from app.engine.search.interface import Retriever
from app.engine.search.opensearch.client import Cluster
from app.engine.search.opensearch.index import OpenSearchIndex
from app.engine.search.opensearch.retriever import OpenSearchRetriever

_PATIENCE_SECONDS = 5.0


class OpenSearchServer:
    def __init__(self, settings: Settings) -> None:
        self._cluster = Cluster(
            settings.index_url,
            username=settings.index_username,
            password=settings.index_password,
            ca_file=settings.index_ca_file,
        )
        self._prefix, self._seconds = settings.index_prefix, settings.index_timeout_seconds

    @property
    def host(self) -> str:
        return self._cluster.host

    def version(self) -> str:
        return self._cluster.version(_PATIENCE_SECONDS)

    def index(self, name: str) -> OpenSearchIndex:
        return OpenSearchIndex(self._cluster, name)

    def meant_by(self, alias: str) -> list[str]:
        return self._cluster.meant_by(alias, _PATIENCE_SECONDS)

    def retriever(self) -> Retriever:
        return OpenSearchRetriever(self._cluster, prefix=self._prefix, seconds=self._seconds)
