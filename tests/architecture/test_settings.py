"""Every exception from a rule has a reason, every tool one place for its settings.

An exception without a reason is copied for ever, since nobody knows when it may go.
"""

import re
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.builders.checkout import files, modules, settings, text

SDK = "clients/python/pyproject.toml"

EXCEPTIONS = r"(?:^ignore|^\"[^\"]*\*[^\"]*\"|^filterwarnings|^enable_incomplete\w+) = \[\n(.*?)^\]"
REASONED = r"# \S.*\w"


def locked(name: str) -> dict[str, set[str]]:
    """What a lock pins: project -> versions (more than one where Python versions differ)."""
    pins: dict[str, set[str]] = {}
    for project, version in re.findall(r"^([\w.-]+)==([^\s;]+)", text(Path(name)), re.MULTILINE):
        pins.setdefault(canonicalize_name(project), set()).add(version)
    return pins


def test_every_exception_has_a_reason() -> None:
    """Each rule that pyproject.toml switches off, and each warning it lets pass, says why."""
    listed = re.findall(EXCEPTIONS, text(Path("pyproject.toml")), re.MULTILINE | re.DOTALL)
    entries = [line for block in listed for line in block.splitlines() if line.strip()]

    assert entries
    assert [] == [entry for entry in entries if not re.search(REASONED, entry)]


def test_every_inline_exception_has_a_reason() -> None:
    """A `noqa` or `type: ignore` names its rule, and says why on the same line."""
    mark = r"# (?:noqa|type: ignore)\b"
    sound = r"# (?:noqa: [A-Z]+\d+(?:, [A-Z]+\d+)*|type: ignore\[[\w, -]+\])\W+\w"
    offenders = [
        f"{path}:{number}: {line.strip()}"
        for path in modules()
        if path.name != Path(__file__).name
        for number, line in enumerate(text(path).splitlines(), start=1)
        if re.search(mark, line) and not re.search(sound, line)
    ]

    assert [] == offenders


def test_tools_are_set_up_in_one_place() -> None:
    """Ruff, mypy and pytest read the root's pyproject.toml; a second file would win over it."""
    rivals = ("ruff.toml", "mypy.ini", "pytest.ini", "pytest.toml", "tox.ini", "setup.cfg")

    assert set(settings(SDK)["tool"]) <= {"hatch"}
    assert [] == [path for path in files() if path.name.lstrip(".") in rivals]


def test_both_distributions_have_one_version() -> None:
    """The controller and the SDK are released together: the wire is theirs in common."""
    controller, sdk = settings()["project"], settings(SDK)["project"]

    assert controller["version"] == sdk["version"]
    assert controller["requires-python"] == sdk["requires-python"]
    assert f"trimtab=={sdk['version']}" in controller["dependencies"]


def test_the_locks_are_up_to_date() -> None:
    """Whatever the manifests ask for is pinned at a version they accept; else: `make lock`."""
    manifest = settings()
    asked = {
        "requirements/build.txt": manifest["dependency-groups"]["build"],
        "requirements/dev.txt": manifest["dependency-groups"]["dev"],
        "requirements/runtime.txt": [
            *manifest["project"]["dependencies"],
            *manifest["project"]["optional-dependencies"]["redis"],
            *settings(SDK)["project"]["dependencies"],
        ],
        "requirements/floors.txt": needed_by_the_sdk(),
    }
    offenders = [
        f"{lock}: {requirement}"
        for lock, requirements in asked.items()
        for requirement in map(Requirement, requirements)
        if canonicalize_name(requirement.name) != "trimtab"
        and not any(
            requirement.specifier.contains(version)
            for version in locked(lock).get(canonicalize_name(requirement.name), ())
        )
    ]

    assert [] == offenders


def needed_by_the_sdk() -> list[str]:
    """What it asks for, with all its extras."""
    project = settings(SDK)["project"]
    extras = project["optional-dependencies"].values()
    return [*project["dependencies"], *(it for extra in extras for it in extra)]


def test_the_floors_are_the_lowest_that_the_sdk_takes() -> None:
    """What it asks for and what `make floors` tries is the same; else: `make lock`."""
    floors = locked("requirements/floors.txt")
    offenders = [
        str(it)
        for it in map(Requirement, needed_by_the_sdk())
        for floor in [next(one.version for one in it.specifier if one.operator == ">=")]
        if Version(floor) not in {*map(Version, floors[canonicalize_name(it.name)])}
    ]

    assert [] == offenders


def test_everything_locked_is_hashed() -> None:
    """No package is installed that is not, byte for byte, the one that was resolved."""
    offenders = [
        f"{lock}: {requirement.splitlines()[0]}"
        for lock in files("requirements/*.txt")
        for requirement in re.split(r"\n(?=\S)", text(lock))
        if not requirement.startswith("#") and "--hash=sha256:" not in requirement
    ]

    assert [] == offenders
