"""The image and the compose file: by a linter, by the schema, and by what they have to agree on."""

import re

import pytest
import yaml

from tests.deploy.conftest import DEPLOY, ROOT
from tests.deploy.programs import of_environment, succeed

pytestmark = pytest.mark.deploy


def test_the_dockerfile_is_clean() -> None:
    succeed(of_environment("hadolint"), DEPLOY / "Dockerfile")


def test_all_that_the_dockerfile_copies_is_there_and_sent_to_the_builder() -> None:
    lines = re.findall(r"^COPY (?!--from)(.+)$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    copied = {source for line in lines for source in line.split()[:-1]}
    sent = (ROOT / ".dockerignore").read_text().splitlines()
    assert copied
    for source in copied:
        assert (ROOT / source).exists()
        assert f"!{source}" in sent


def test_no_registry_is_named() -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    images = re.findall(r"^ARG PYTHON=(\S+)|^FROM (\S+)", dockerfile, re.MULTILINE)
    composed = yaml.safe_load((DEPLOY / "compose.yml").read_text())["services"].values()
    for image in [*(a or b for a, b in images), *(s["image"] for s in composed)]:
        assert "." not in image.partition("/")[0] or "/" not in image


def test_the_compose_file_obeys_its_schema() -> None:
    schema = ("--builtin-schema", "vendor.compose-spec")
    succeed(of_environment("check-jsonschema"), *schema, DEPLOY / "compose.yml")


def test_all_files_that_the_compose_file_names_are_there_or_made() -> None:
    composed = yaml.safe_load((DEPLOY / "compose.yml").read_text())
    mounted = [
        volume.split(":")[0]
        for service in composed["services"].values()
        for volume in service.get("volumes", [])
        if volume.startswith("./") and not volume.startswith("./secrets/")
    ]
    assert all((DEPLOY / path).is_file() for path in mounted)
    made = (DEPLOY / "make-secrets.sh").read_text()
    for name in composed["secrets"]:
        assert name in made or re.sub("_(owner|api|worker)_", "_${role}_", name) in made


def test_no_service_has_more_rights_than_it_needs() -> None:
    composed = yaml.safe_load((DEPLOY / "compose.yml").read_text())
    for name, service in composed["services"].items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert not any(
            "PASSWORD" in key and "_FILE" not in key for key in service.get("environment", {})
        )
