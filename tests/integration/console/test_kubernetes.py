"""The manifests, as far as they can be judged without a cluster."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from console.settings.loading import load
from console.settings.sections import ControllerSettings
from tests.builders.checkout import ROOT
from trimtab.protocol import DEFAULT_PREFIX

HOME = ROOT / "deploy" / "kubernetes"
STANDBY = ROOT / "deploy" / "kubernetes-standby"
SCHEMAS = ROOT / "tests" / "fixtures" / "kubernetes" / "v1.34.json"
README = (HOME / "README.md").read_text()
WRITTEN = (HOME / "kustomization.yaml").read_text()
KUSTOMIZATION: dict[str, Any] = yaml.safe_load(WRITTEN)
OPTION = re.compile(r"^  # (- (\S+\.yaml) .*)$", re.MULTILINE)
"""A resource that whoever needs it lets in."""
OPTIONS = [it[2] for it in OPTION.finditer(WRITTEN)]
MANIFESTS = {
    str(path.relative_to(ROOT)): yaml.safe_load(path.read_text())
    for path in [
        *(HOME / name for name in (*KUSTOMIZATION["resources"], *OPTIONS)),
        HOME / "secret.example.yaml",
        *(ROOT / "deploy" / "worker" / name for name in ("kubernetes.yaml", "disruption.yaml")),
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
    assert [] == faults(manifest)


def faults(manifest: dict[str, Any]) -> list[str]:
    """What its schema finds in a manifest."""
    errors = Draft202012Validator(schema_of(manifest)).iter_errors(manifest)
    return [f"{error.json_path}: {error.message}" for error in errors]


def rendered(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """What Kubernetes is sent, by kind and name."""
    command = [str(Path(sys.executable).with_name("kubectl")), "kustomize", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr
    return {(it["kind"], it["metadata"]["name"]): it for it in yaml.safe_load_all(done.stdout)}


@pytest.mark.parametrize("folder", [HOME, STANDBY], ids=["alone", "standby"])
def test_what_kustomize_makes_of_it_is_whole(folder: Path) -> None:
    """Each manifest follows its schema, in one namespace; what the pod names is there."""
    made = rendered(folder)
    (deployment,) = (it for (kind, _), it in made.items() if kind == "Deployment")
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    names = {name for name, volume in volumes_of(pod) if volume is not None}
    labels = deployment["spec"]["template"]["metadata"]["labels"]

    assert [] == [fault for it in made.values() for fault in faults(it)]
    assert {KUSTOMIZATION["namespace"]} == {it["metadata"]["namespace"] for it in made.values()}
    assert {name for _, name in made} >= names
    assert {it["name"] for it in pod["volumes"]} == {it["name"] for it in container["volumeMounts"]}
    assert labels == made["Service", "trimtab"]["spec"]["selector"]
    assert labels == made["NetworkPolicy", "trimtab"]["spec"]["podSelector"]["matchLabels"]
    assert labels == made["PodDisruptionBudget", "trimtab"]["spec"]["selector"]["matchLabels"]


def volumes_of(pod: dict[str, Any]) -> Iterator[tuple[str | None, object]]:
    """What each volume of a pod is made of, and how that is called."""
    for volume in pod["volumes"]:
        claim, settings = volume.get("persistentVolumeClaim"), volume.get("configMap")
        yield (claim or {}).get("claimName") or (settings or {}).get("name"), claim or settings


def test_of_two_controllers_one_stands_by() -> None:
    """Each with a name and a home of its own, over one checkpoint that two nodes may write."""
    made = rendered(STANDBY)
    deployment = made["Deployment", "trimtab"]["spec"]
    pod = deployment["template"]["spec"]
    (container,) = pod["containers"]
    told = {it["name"]: it for it in container["env"]}
    places = {it["mountPath"]: it["name"] for it in container["volumeMounts"]}
    volumes = {it["name"]: it for it in pod["volumes"]}
    checkpoint = Path(told["TRIMTAB_CONTROLLER__CHECKPOINT"]["value"])
    environment = {name: it.get("value", "x") for name, it in told.items()}
    del environment["TRIMTAB_CONFIG"]  # there is none here
    settings = load(environment=environment).settings

    assert 2 == deployment["replicas"]
    assert {"maxSurge": 0, "maxUnavailable": 1} == deployment["strategy"]["rollingUpdate"]
    assert [*CONTAINER["args"][:1], "--standby", *CONTAINER["args"][1:]] == container["args"]
    assert "metadata.name" == told["TRIMTAB_CONTROLLER__NAME"]["valueFrom"]["fieldRef"]["fieldPath"]
    assert str(checkpoint) == settings.controller.checkpoint
    assert "emptyDir" in volumes[places["/var/lib/trimtab"]]
    claim = volumes[places[str(checkpoint.parent)]]["persistentVolumeClaim"]["claimName"]
    assert ["ReadWriteMany"] == made["PersistentVolumeClaim", claim]["spec"]["accessModes"]


def test_what_is_optional_is_let_in_by_a_line(tmp_path: Path) -> None:
    """Ways out to Redis, name servers and brokers, for the same pod, at the ports they have."""
    shutil.copytree(HOME, tmp_path, dirs_exist_ok=True)
    (tmp_path / "kustomization.yaml").write_text(OPTION.sub(r"  \1", WRITTEN))
    made = rendered(tmp_path)
    usual = made["NetworkPolicy", "trimtab"]["spec"]["podSelector"]
    added = {
        name: it["spec"]
        for (kind, name), it in made.items()
        if kind == "NetworkPolicy" and name != "trimtab"
    }

    assert {"trimtab-redis": [6379], "trimtab-name-servers": [9876, 10911]} == {
        name: [it["port"] for it in policy["egress"][0]["ports"]] for name, policy in added.items()
    }
    assert [usual] * 2 == [policy["podSelector"] for policy in added.values()]


def test_every_manifest_is_part_of_it() -> None:
    """But for the example of a secret."""
    there = {path.name for path in HOME.glob("*.yaml")}
    told = {*KUSTOMIZATION["resources"], *OPTIONS, "kustomization.yaml", "secret.example.yaml"}

    assert told == there


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


def test_a_worker_is_asked_where_it_answers() -> None:
    """At the port that it is told; and budget and spread are about its pods."""
    deployment = MANIFESTS["deploy/worker/kubernetes.yaml"]["spec"]
    budget = MANIFESTS["deploy/worker/disruption.yaml"]["spec"]
    labels, pod = deployment["template"]["metadata"]["labels"], deployment["template"]["spec"]
    (container,), (spread,) = pod["containers"], pod["topologySpreadConstraints"]
    (port,) = container["ports"]
    told = {it["name"]: it["value"] for it in container["env"]}
    selectors = (it["selector"]["matchLabels"] for it in (deployment, budget))

    assert str(port["containerPort"]) == told["PROBE_PORT"]
    assert {port["name"]} == {
        container[probe]["httpGet"]["port"] for probe in ("readinessProbe", "livenessProbe")
    }
    assert [labels] * 3 == [*selectors, spread["labelSelector"]["matchLabels"]]
    assert "cpu" in container["resources"]["requests"]


def test_the_settings_are_settings() -> None:
    """The file loads as it is, with what a secret adds; probes ask the port that is open."""
    environment = MANIFESTS["deploy/kubernetes/secret.example.yaml"]["stringData"]
    (settings,) = KUSTOMIZATION["configMapGenerator"]
    loaded = load(config=HOME / "trimtab.toml", environment=environment).settings

    assert loaded.topics.prefix == DEFAULT_PREFIX
    assert {"sasl.username", "sasl.password"} == loaded.kafka.options.keys()
    assert ControllerSettings().http_port == CONTAINER["ports"][0]["containerPort"]
    told = {it["name"]: it.get("value") for it in CONTAINER["env"]}
    assert f"/etc/trimtab/{settings['files'][0]}" == told["TRIMTAB_CONFIG"]


def test_what_the_file_cannot_change_is_named() -> None:
    """The environment goes before it: the image's own, and the manifest's of a standby."""
    standby = yaml.safe_load((STANDBY / "controller.yaml").read_text())
    (container,) = standby["spec"]["template"]["spec"]["containers"]
    variables = re.findall(r"\b(TRIMTAB_\w+)=", (ROOT / "deploy" / "Dockerfile").read_text())
    variables += [it["name"] for it in container["env"]]
    keys = [it.removeprefix("TRIMTAB_").lower().replace("__", ".") for it in variables]
    (row,) = re.findall(r"^\| (.*) \| `env` in `controller.yaml`", README, re.MULTILINE)

    assert keys == re.findall(r"`([\w.]+)`", row)


def test_a_pod_in_which_to_recover_only_sleeps() -> None:
    """What the image would be told to run is not told to what it runs instead."""
    told = re.findall(r"`((?:command|args): \[.*?\])`(?:,| and no probes)", README)
    container = CONTAINER | yaml.safe_load("\n".join(told))

    assert ["sleep", "3600"] == [*container["command"], *container["args"]]


def test_a_copy_for_an_audit_is_made_by_what_kubectl_knows() -> None:
    """Of the pod that is there, with its settings, and its container sleeps."""
    (told,) = re.findall(r"^kubectl (.* debug .*)$", README, re.MULTILINE)
    (selector,) = re.findall(r"--selector (\S+)=(\S+) ", README)
    options, _, command = told.partition(" -- ")
    kubectl = str(Path(sys.executable).with_name("kubectl"))
    known = subprocess.run([kubectl, "debug", "--help"], capture_output=True, text=True, check=True)
    named = dict(re.findall(r"--([a-z-]+)(?:=(\S+))?", options.partition(" debug ")[2]))

    assert dict([selector]).items() <= DEPLOYMENT["selector"]["matchLabels"].items()
    assert "sleep 3600" == command
    assert CONTAINER["name"] == named["container"]
    assert {"copy-to", "same-node"} <= named.keys()
    assert all(f"--{name}=" in known.stdout for name in named)
    assert f'"{named["profile"]}"' in known.stdout


def test_a_lost_node_is_left_soon() -> None:
    """After half a minute, whichever way Kubernetes says that it is lost."""
    wanted = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 30}
    lost = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")

    assert [{"key": key, **wanted} for key in lost] == POD["tolerations"]


def test_what_is_deleted_before_a_standby_is_what_uses_the_volume() -> None:
    """A claim alone would wait for its pod for ever."""
    (told,) = re.findall(r"`kubectl --namespace trimtab delete (.*)`", README)
    (claim,) = (it["persistentVolumeClaim"] for it in POD["volumes"] if it["name"] == "state")
    controller = MANIFESTS["deploy/kubernetes/controller.yaml"]["metadata"]["name"]

    assert [f"deployment/{controller}", f"pvc/{claim['claimName']}"] == told.split()


def test_it_is_the_image_that_is_built() -> None:
    """By name and version, with its user, and what it writes to is a volume."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text()
    (image,) = KUSTOMIZATION["images"]
    user = re.findall(r"^USER (\S+)", dockerfile, re.MULTILINE)[-1]
    volumes = re.findall(r"^VOLUME (\S+)", dockerfile, re.MULTILINE)
    mounts = {it["mountPath"] for it in CONTAINER["volumeMounts"]}

    assert (image["name"], project["version"]) == (CONTAINER["image"], image["newTag"])
    built = f"--tag {image['newName']}:{image['newTag']} ."
    assert all(built in it for it in (dockerfile, README))
    assert user == str(POD["securityContext"]["runAsUser"])
    assert {*volumes, "/tmp"} <= mounts  # noqa: S108 - a mount


def test_there_is_one_controller_at_a_time() -> None:
    """The old pod ends before the new one begins, and nothing holds a node's drain up."""
    assert (1, "Recreate") == (DEPLOYMENT["replicas"], DEPLOYMENT["strategy"]["type"])
    budget = MANIFESTS["deploy/kubernetes/disruption.yaml"]["spec"]
    assert (1, "AlwaysAllow") == (budget["maxUnavailable"], budget["unhealthyPodEvictionPolicy"])


def test_no_worker_that_is_not_ready_holds_a_drain_up() -> None:
    """By default Kubernetes waits for it to be ready, for ever if need be."""
    budget = MANIFESTS["deploy/worker/disruption.yaml"]["spec"]
    assert "AlwaysAllow" == budget["unhealthyPodEvictionPolicy"]
