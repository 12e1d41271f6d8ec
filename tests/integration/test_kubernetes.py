"""The manifests, as far as they can be judged without a cluster."""

import json
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from console.settings.loading import load
from console.settings.sections import ControllerSettings
from trimtab.protocol import DEFAULT_PREFIX

ROOT = Path(__file__).parents[2]
HOME = ROOT / "deploy" / "kubernetes"
SCHEMAS = ROOT / "tests" / "fixtures" / "kubernetes" / "v1.34.json"
KUSTOMIZATION: dict[str, Any] = yaml.safe_load((HOME / "kustomization.yaml").read_text())
MANIFESTS = {
    str(path.relative_to(ROOT)): yaml.safe_load(path.read_text())
    for path in [
        *(HOME / name for name in KUSTOMIZATION["resources"]),
        HOME / "secret.example.yaml",
        ROOT / "deploy" / "worker" / "kubernetes.yaml",
    ]
}
DEPLOYMENT = MANIFESTS["deploy/kubernetes/controller.yaml"]["spec"]
POD = DEPLOYMENT["template"]["spec"]
CONTAINER = POD["containers"][0]


@cache
def definitions() -> dict[str, Any]:
    """Return Kubernetes' own schemas, by their full names."""
    found: dict[str, Any] = json.loads(SCHEMAS.read_text())["$defs"]
    return found


def schema_of(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a manifest's kind and version."""
    for name, schema in definitions().items():
        said = {it: schema["properties"].get(it, {}).get("enum") for it in ("apiVersion", "kind")}
        if said == {"apiVersion": [manifest["apiVersion"]], "kind": [manifest["kind"]]}:
            return {"$ref": f"#/$defs/{name}", "$defs": definitions()}
    raise AssertionError(f"{manifest['apiVersion']} {manifest['kind']}: no such kind")


@pytest.mark.parametrize("manifest", MANIFESTS.values(), ids=MANIFESTS.keys())
def test_a_manifest_follows_its_schema(manifest: dict[str, Any]) -> None:
    """Kubernetes would take it, and knows every field in it."""
    errors = Draft202012Validator(schema_of(manifest)).iter_errors(manifest)

    assert [] == [f"{error.json_path}: {error.message}" for error in errors]


def test_every_manifest_is_part_of_it() -> None:
    """But for the example of a secret."""
    there = {path.name for path in HOME.glob("*.yaml")}

    assert {*KUSTOMIZATION["resources"], "kustomization.yaml", "secret.example.yaml"} == there


def test_whatever_one_names_is_what_another_is_called() -> None:
    """Labels, ports, the volume, the settings and the secret."""
    labels = DEPLOYMENT["template"]["metadata"]["labels"]
    policy = MANIFESTS["deploy/kubernetes/network.yaml"]["spec"]
    budget = MANIFESTS["deploy/kubernetes/disruption.yaml"]["spec"]
    service = MANIFESTS["deploy/kubernetes/service.yaml"]["spec"]
    claim = MANIFESTS["deploy/kubernetes/volume.yaml"]["metadata"]["name"]
    secret = MANIFESTS["deploy/kubernetes/secret.example.yaml"]
    (port,) = CONTAINER["ports"]
    (settings,) = KUSTOMIZATION["configMapGenerator"]
    volumes = {it["name"]: it for it in POD["volumes"]}

    assert labels == DEPLOYMENT["selector"]["matchLabels"] == service["selector"]
    assert labels == policy["podSelector"]["matchLabels"] == budget["selector"]["matchLabels"]
    assert port["name"] == service["ports"][0]["targetPort"]
    assert port["containerPort"] == policy["ingress"][0]["ports"][0]["port"]
    assert {port["name"]} == {
        CONTAINER[probe]["httpGet"]["port"]
        for probe in ("startupProbe", "readinessProbe", "livenessProbe")
    }
    assert claim == volumes["state"]["persistentVolumeClaim"]["claimName"]
    assert settings["name"] == volumes["settings"]["configMap"]["name"]
    assert secret["metadata"]["name"] == CONTAINER["envFrom"][0]["secretRef"]["name"]
    assert KUSTOMIZATION["namespace"] == secret["metadata"]["namespace"]


def test_the_settings_are_settings() -> None:
    """The file loads as it is, with what a secret adds; probes ask the port that is open."""
    environment = MANIFESTS["deploy/kubernetes/secret.example.yaml"]["stringData"]
    (settings,) = KUSTOMIZATION["configMapGenerator"]
    loaded = load(config=HOME / "trimtab.toml", environment=environment).settings

    assert loaded.topics.prefix == DEFAULT_PREFIX
    assert {"sasl.username", "sasl.password"} == loaded.kafka.options.keys()
    assert ControllerSettings().http_port == CONTAINER["ports"][0]["containerPort"]
    assert f"/etc/trimtab/{settings['files'][0]}" == CONTAINER["args"][-1]


def test_it_is_the_image_that_is_built() -> None:
    """By name and version, with its user, and what it writes to is a volume."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text()
    (image,) = KUSTOMIZATION["images"]
    user = re.findall(r"^USER (\S+)", dockerfile, re.MULTILINE)[-1]
    volumes = re.findall(r"^VOLUME (\S+)", dockerfile, re.MULTILINE)
    mounts = {it["mountPath"] for it in CONTAINER["volumeMounts"]}

    assert (image["name"], project["version"]) == (CONTAINER["image"], image["newTag"])
    assert user == str(POD["securityContext"]["runAsUser"])
    assert {*volumes, "/tmp"} <= mounts  # noqa: S108 - a mount


def test_there_is_one_controller_at_a_time() -> None:
    """The old pod ends before the new one begins, and nothing holds a node's drain up."""
    assert (1, "Recreate") == (DEPLOYMENT["replicas"], DEPLOYMENT["strategy"]["type"])
    assert 1 == MANIFESTS["deploy/kubernetes/disruption.yaml"]["spec"]["maxUnavailable"]
