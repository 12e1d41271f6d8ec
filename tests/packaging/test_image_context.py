"""The image, as far as it can be built without a container engine.

The checkout is reduced to what `.dockerignore` rules leave of it, as Docker would; both wheels are
built from that and nothing else; and every command runs from where they are installed.
"""

import ast
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders.checkout import ROOT, controller_packages
from tests.builders.recording import two_join
from tests.packaging.environment import Environment, build_wheel, run

pytestmark = pytest.mark.packaging

DOCKERFILE = ROOT / "deploy" / "Dockerfile"
COMMANDS = """
import json, typer.main
from console.main import app
def leaves(command, path):
    children = getattr(command, "commands", {})
    if not children:
        yield path
    for name, child in children.items():
        yield from leaves(child, [*path, name])
print(json.dumps(list(leaves(typer.main.get_command(app), []))))
"""
RESOLVED = """
import importlib.util, json, sys
def is_there(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
print(json.dumps([name for name in json.load(open(sys.argv[1])) if not is_there(name)]))
"""


def rules() -> list[tuple[bool, re.Pattern[str]]]:
    """The ignore file: for each line whether it takes in again, and what it is about."""
    lines = DOCKERFILE.with_name("Dockerfile.dockerignore").read_text().splitlines()
    meant = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return [(line.startswith("!"), _pattern(line.removeprefix("!").strip("/"))) for line in meant]


def _pattern(glob: str) -> re.Pattern[str]:
    """Docker's: `*` within a name, `**` over folders, and a folder is all that is in it."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    of = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(of.get(part, re.escape(part)) for part in parts) + "(?:/.*)?")


def sent() -> Iterator[str]:
    """The files that Docker would send: of the rules that match, the last one decides."""
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    for path in listed:
        verdicts = [takes_in for takes_in, pattern in rules() if pattern.fullmatch(path)]
        if (not verdicts or verdicts[-1]) and (ROOT / path).is_file():
            yield path


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The context of the build."""
    context = tmp_path_factory.mktemp("context")
    for path in sent():
        (context / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, context / path)
    return context


@pytest.fixture(scope="module")
def image(context: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The environment of the image."""
    folder = tmp_path_factory.mktemp("image")
    environment = Environment(folder / "environment")
    for number, project in enumerate((context / "clients" / "python", context)):
        environment.install(build_wheel(project, folder / str(number)))
    environment.install_dependencies("trimtab-controller", "redis")  # runtime.txt has all extras
    return environment


def test_everything_that_is_copied_is_there(context: Path) -> None:
    """No COPY of the Dockerfile names what the ignore file keeps out."""
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE.read_text(), re.MULTILINE)
    sources = [source for line in copied for source in line.split()]

    assert "." in sources
    assert [] == [source for source in sources if not (context / source).exists()]
    installed = "pip install --no-deps --no-build-isolation ./clients/python ."
    assert installed in DOCKERFILE.read_text()


def test_every_import_finds_its_module(image: Environment, tmp_path: Path) -> None:
    """Also those that only run when a command does."""
    wanted = set()
    for package in [*controller_packages(), "trimtab"]:
        files = list((image.site_packages / package).rglob("*.py"))
        assert [] != files, package
        for file in files:
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    wanted.add(node.module)
                elif isinstance(node, ast.Import):
                    wanted.update(it.name for it in node.names)
    names, script = tmp_path / "names.json", tmp_path / "resolved.py"
    names.write_text(json.dumps(sorted(wanted)))
    script.write_text(RESOLVED)

    missing: list[str] = json.loads(image.python(str(script), str(names)))
    # It is an extra of the SDK, which the image does without.
    assert {"kafka"} == {name.partition(".")[0] for name in missing}


def test_every_command_has_its_help(image: Environment) -> None:
    """Each is there, and says what it does."""
    commands: list[list[str]] = json.loads(image.python("-c", COMMANDS))
    asked = ";".join(f"ask({[*path, '--help']!r})" for path in commands)
    code = (
        "from console.commands.options import Call\nfrom console.main import app\n"
        "def ask(arguments):\n"
        "    try: app(arguments, prog_name='trimtab', obj=Call())\n"
        "    except SystemExit as end: assert end.code == 0, arguments\n"
        f"{asked}"
    )

    assert ["check"] in commands
    assert len(commands) == image.python("-c", code).count("Usage: trimtab")


@pytest.mark.parametrize(
    ("command", "code", "says"),
    [
        ("version", 0, "trimtab-controller"),
        ("config show", 0, "controller.ui_port"),
        ("config schema", 0, "ui_port"),
        ("replay recording.jsonl", 0, "a joined"),
        ("check recording.jsonl", 0, "no violations"),
        ("kafka status", 3, ""),
        ("health", 3, "no controller is running"),
    ],
)
def test_commands_that_need_no_kafka_run(
    command: str,
    code: int,
    says: str,
    image: Environment,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """From the image's environment, with the checkout out of sight."""
    monkeypatch.chdir(tmp_path)
    two_join().write()
    done = subprocess.run(
        [str(image.folder / "bin" / "trimtab"), *command.split()],
        env={"PATH": os.environ["PATH"], "TRIMTAB_HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert code == done.returncode, done.stderr
    assert says in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
