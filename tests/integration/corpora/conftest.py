"""The site that refreshes read, served on loopback."""

from collections.abc import Iterator

import pytest

from app.core.config.settings import Settings
from tests.integration.corpora.sites import Operator, Site
from tests.internet import serving


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    with serving(site.answer) as port:
        site.url = f"http://127.0.0.1:{port}"
        yield site


@pytest.fixture
def operator(settings: Settings, site: Site) -> Operator:
    return Operator(settings, site)
