"""One certificate for all TLS tests."""

import pytest

from tests.unit.engine.fetch.certificates import Certificate, certificate_for


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return certificate_for("pinned.example.com", tmp_path_factory.mktemp("tls"))
