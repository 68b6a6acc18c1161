"""The manifests as Kustomize builds them, by the schemas of Kubernetes and KEDA."""

import shutil
from typing import Any

import kubernetes_validate
import pytest
import yaml
from cloudcoil.models.keda import v1alpha1 as keda

from tests.deploy.conftest import DEPLOY
from tests.deploy.programs import succeed

FOLDER = DEPLOY / "kubernetes"
EXAMPLE = FOLDER / "overlays" / "example"
VERSION = "1.34"
Manifest = dict[str, Any]

pytestmark = pytest.mark.deploy


@pytest.fixture(scope="module")
def manifests() -> list[Manifest]:
    """Those of the example; without a program that builds them what depends on it is skipped."""
    if shutil.which("kustomize"):
        built = succeed("kustomize", "build", EXAMPLE)
    elif shutil.which("kubectl"):
        built = succeed("kubectl", "kustomize", EXAMPLE)
    else:
        pytest.skip("not built, so not validated: neither kustomize nor kubectl is here")
    return list(yaml.safe_load_all(built))


def test_every_file_that_a_kustomization_names_is_there_and_every_file_is_named() -> None:
    for kustomization in FOLDER.rglob("kustomization.yaml"):
        named = set(_named(yaml.safe_load(kustomization.read_text())))
        assert all((kustomization.parent / name).exists() for name in named)
        beside = {path.name for path in kustomization.parent.glob("*.*")}
        assert beside - named == {"kustomization.yaml"}


def _named(kustomization: Manifest) -> list[str]:
    generated = kustomization.get("configMapGenerator", [])
    return [
        *kustomization["resources"],
        *(name for made in generated for name in made.get("files", [])),
        *(patch["path"] for patch in kustomization["patches"] if "path" in patch),
    ]


def test_manifests_obey_the_schemas_of_kubernetes(manifests: list[Manifest]) -> None:
    for manifest in manifests:
        if manifest["kind"] != "ScaledObject":
            kubernetes_validate.validate(manifest, VERSION, strict=True)


def test_scaled_objects_obey_the_schema_of_keda(manifests: list[Manifest]) -> None:
    scaled = _of_kind(manifests, "ScaledObject")
    assert scaled
    for manifest in scaled:
        parsed = keda.ScaledObject.model_validate(manifest)
        known = parsed.model_dump(mode="json", by_alias=True, exclude_unset=True)
        assert known == manifest  # what the schema does not have is left out of it


def test_pods_keep_to_the_restricted_profile(manifests: list[Manifest]) -> None:
    for manifest in _of_kind(manifests, "Deployment", "Job"):
        pod = manifest["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }


def test_what_the_release_reads_is_applied_with_it(manifests: list[Manifest]) -> None:
    """By the selector of docs/how-to/deploy-on-kubernetes.md, before the rest."""
    applied = [
        manifest
        for manifest in manifests
        if manifest["metadata"].get("labels", {}).get("app.kubernetes.io/component") == "release"
    ]
    (job,) = _of_kind(applied, "Job")
    (container,) = job["spec"]["template"]["spec"]["containers"]
    read = [source["configMapRef"] for source in container["envFrom"] if "configMapRef" in source]
    assert read == [{"name": each["metadata"]["name"]} for each in _of_kind(applied, "ConfigMap")]


def test_a_backup_is_recorded_by_the_role_of_its_login(manifests: list[Manifest]) -> None:
    (backup,) = _of_kind(manifests, "CronJob")
    (container,) = backup["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    assert {"secretRef": {"name": "citegrid-worker"}} in container["envFrom"]
    assert {"name": "DATABASE_ROLE", "value": "citegrid_worker"} in container["env"]


def test_no_secret_stands_in_a_manifest(manifests: list[Manifest]) -> None:
    assert _of_kind(manifests, "Secret") == []
    for settings in _of_kind(manifests, "ConfigMap"):
        assert not {"DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL", "SECRET_KEY"} & set(
            settings["data"]
        )


def test_every_deployment_can_be_disrupted_one_pod_at_a_time(manifests: list[Manifest]) -> None:
    budgets = {
        tuple(budget["spec"]["selector"]["matchLabels"].items()): budget["spec"]["maxUnavailable"]
        for budget in _of_kind(manifests, "PodDisruptionBudget")
    }
    for deployment in _of_kind(manifests, "Deployment"):
        labels = tuple(deployment["spec"]["selector"]["matchLabels"].items())
        assert budgets[labels] == 1


def test_every_worker_is_scaled_by_the_places_of_its_pod(manifests: list[Manifest]) -> None:
    scaled = {s["spec"]["scaleTargetRef"]["name"]: s for s in _of_kind(manifests, "ScaledObject")}
    workers = [
        deployment
        for deployment in _of_kind(manifests, "Deployment")
        if deployment["metadata"]["labels"].get("app.kubernetes.io/component") == "worker"
    ]
    assert {worker["metadata"]["name"] for worker in workers} == set(scaled)
    for worker in workers:
        args = worker["spec"]["template"]["spec"]["containers"][0]["args"]
        queue, places = args[args.index("-Q") + 1], args[args.index("-c") + 1]
        depth, age = scaled[worker["metadata"]["name"]]["spec"]["triggers"]
        assert depth["metadata"]["threshold"] == places
        assert f'queue="{queue}"' in depth["metadata"]["query"]
        assert f'queue="{queue}"' in age["metadata"]["query"]


def _of_kind(manifests: list[Manifest], *kinds: str) -> list[Manifest]:
    return [manifest for manifest in manifests if manifest["kind"] in kinds]
