"""Keys that are limited to some corpora: for them there are no others."""

from flask import request

from app.core.http import ApiKeyScope, caller_or_none
from app.domains.library.corpora.service import CorpusNotFound


def check_the_corpus() -> None:
    """Before a request about one corpus, or, without `corpus_id`, one that is not for such keys.

    Raises CorpusNotFound, ApiKeyScope.
    """
    identity = caller_or_none()
    if identity is None or identity.corpora is None:
        return
    corpus_id = (request.view_args or {}).get("corpus_id")
    if corpus_id is None:
        raise ApiKeyScope
    if corpus_id not in identity.corpora:
        raise CorpusNotFound
