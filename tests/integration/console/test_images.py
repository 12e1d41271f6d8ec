"""The container set-up, as far as it can be judged without a container engine.

Compose and Dockerfile are checked by their own linters, and every version that is written in more
than one file must be the same in all of them: nobody would notice a Spark that does not match its
connector before it runs.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from console.settings.loading import load
from tests.builders.checkout import ROOT
from trimtab.options import read_profile

WORKER = ROOT / "deploy" / "worker"
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())[
    "services"
]

LISTENING = {"prom/prometheus:": 9090, "grafana/grafana:": 3000}
"""Where images of others do that need not be told."""

each_service = pytest.mark.parametrize("service", SERVICES.values(), ids=SERVICES.keys())


def pom(name: str) -> str:
    """A version from deploy/jars/pom.xml."""
    project = ET.parse(ROOT / "deploy" / "jars" / "pom.xml").getroot()  # noqa: S314 - ours
    value = project.findtext(f"{{*}}properties/{{*}}{name}")
    assert value is not None
    return value


def bases() -> set[str]:
    """The images that the Dockerfile builds on."""
    return set(re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE))


def run(*command: str | Path) -> str:
    """What a linter has to say; empty when it is content."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_compose_follows_its_schema() -> None:
    """docker-compose.yml is valid against the compose specification."""
    schema = ("--builtin-schema", "vendor.compose-spec", "docker-compose.yml")
    assert "" == run(sys.executable, "-m", "check_jsonschema", *schema)


@pytest.mark.parametrize("dockerfile", ["deploy/Dockerfile", "deploy/worker/Dockerfile"])
def test_a_dockerfile_passes_its_linter(dockerfile: str) -> None:
    """Hadolint finds nothing in it, warnings included."""
    assert "" == run(Path(sys.executable).with_name("hadolint"), dockerfile)


def test_the_worker_to_start_from_is_guarded_and_has_time_to_leave() -> None:
    """With the checkout's own SDK, on the controller's base; longer than a hand-over may take."""
    image = (WORKER / "Dockerfile").read_text()
    pod = yaml.safe_load((WORKER / "kubernetes.yaml").read_text())["spec"]["template"]["spec"]
    usual = read_profile({"group": "billing", "topics": ["orders"]})
    sdk = tomllib.loads((ROOT / "clients" / "python" / "pyproject.toml").read_text())["project"]

    copied = re.findall(r"^COPY (\S+) \S+$", image, re.MULTILINE)
    sent = (WORKER / "Dockerfile.dockerignore").read_text().splitlines()

    assert ["clients/python", "deploy/worker/worker.py"] == copied
    assert {f"!{it}" for it in copied} == {line for line in sent if line.startswith("!")}
    assert "pip install --no-cache-dir './clients/python[confluent]'" in image
    assert "confluent" in sdk["optional-dependencies"]
    assert set(re.findall(r"^FROM (\S+)", image, re.MULTILINE)) <= bases()
    assert image.splitlines()[-1].startswith('ENTRYPOINT ["trimtab-guard", "--", ')
    assert sdk["scripts"].keys() == {"trimtab-guard"}
    assert pod["terminationGracePeriodSeconds"] * 1_000 > usual.revocation_timeout_ms
    assert pod["containers"][0]["securityContext"]["readOnlyRootFilesystem"]


@each_service
def test_services_say_whether_they_are_well(service: dict[str, Any]) -> None:
    """Every service has a health check, so that others can wait for it."""
    assert "CMD" == service["healthcheck"]["test"][0]


@each_service
def test_ports_are_open_on_loopback_only(service: dict[str, Any]) -> None:
    """A laptop's set-up without passwords must not be reachable from its network."""
    assert [] == [p for p in service.get("ports", []) if not p.startswith("127.0.0.1:")]


@pytest.mark.parametrize("image", sorted(bases() | {s["image"] for s in SERVICES.values()}))
def test_images_are_pinned(image: str) -> None:
    """Every image names a full version: what was tested is what runs."""
    assert re.fullmatch(r"[a-z/]+:v?\d+\.\d+\.\d+(-[a-z0-9-]+)?", image)


def test_kafka_is_one_version() -> None:
    """Compose runs the Kafka that the embedded broker is."""
    assert f"apache/kafka:{pom('kafka.version')}" == SERVICES["kafka"]["image"]


def test_spark_is_one_version() -> None:
    """PySpark, its connector and Spark's image are one release."""
    spark = pom("spark.version")
    locked = (ROOT / "requirements" / "runtime.txt").read_text()
    assert f"pyspark=={spark}" in PROJECT["dependencies"]
    assert re.search(rf"^pyspark=={re.escape(spark)} ", locked, re.MULTILINE)
    assert f"apache/spark:{spark}-java17" in bases()


def test_our_own_image_is_the_version_that_is_built() -> None:
    """The tag of our image is the project's version."""
    assert {f"trimtab:{PROJECT['version']}"} == {
        service["image"] for service in SERVICES.values() if "build" in service
    }


def test_python_is_one_version_and_new_enough() -> None:
    """Packages are installed by the Python that runs them, and the project supports it."""
    pythons = {base for base in bases() if base.startswith("python:")}
    assert 1 == len(pythons)
    minor = pythons.pop().removeprefix("python:").rsplit(".", 1)[0]
    assert f">={minor}" == PROJECT["requires-python"]
    assert f"lib/python{minor}/site-packages" in DOCKERFILE


def test_health_is_what_the_controller_says_of_itself() -> None:
    """Pages that answer say nothing of whether Kafka does."""
    assert ["CMD", "trimtab", "health"] == SERVICES["controller"]["healthcheck"]["test"]


def test_no_port_is_promised_that_nobody_reaches() -> None:
    """Spark's pages listen on loopback, so the image has none."""
    assert "EXPOSE" not in DOCKERFILE
    assert "TRIMTAB_CONTROLLER__UI_PORT=0" in DOCKERFILE


@each_service
def test_a_port_that_is_mapped_is_one_that_listens(service: dict[str, Any]) -> None:
    """Within the container on all addresses: Kafka's by a listener, ours by settings."""
    told = service.get("environment", {})
    ours = load(environment=settings_of(told)).settings.controller
    pages = {ours.http_port: ours.http_address, ours.ui_port: ours.ui_address}
    listen = {port for port, address in pages.items() if address in {"0.0.0.0", "::"}}  # noqa: S104 - in a container
    listen |= {int(it) for it in re.findall(r"://:(\d+)", told.get("KAFKA_LISTENERS", ""))}
    listen |= {port for image, port in LISTENING.items() if service["image"].startswith(image)}
    mapped = {int(it.rpartition(":")[2]) for it in service.get("ports", [])}

    assert mapped <= listen
    assert 0 in pages or ours.ui_port in mapped


def settings_of(service: dict[str, Any]) -> dict[str, str]:
    """What our image is told: what is written in it, and what compose adds."""
    image = dict(re.findall(r"(TRIMTAB_\w+)=(\S+)", DOCKERFILE))
    added = {name: str(value) for name, value in service.items() if name.startswith("TRIMTAB_")}
    return image | added


def test_the_image_runs_as_an_ordinary_user() -> None:
    """The last user named is Spark's, not root."""
    assert "185" == re.findall(r"^USER (\S+)", DOCKERFILE, re.MULTILINE)[-1]
