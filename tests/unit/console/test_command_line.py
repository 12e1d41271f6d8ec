"""The command line as its users meet it: help, exit codes, one line for each failure."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from console import controller, operator_commands
from console.errors import ExitCode, Failure
from console.main import app
from tests.builders import examples
from tests.builders.checkout import files, text
from tests.builders.command_line import Run

HEAVY = {
    *("pyspark", "pandas", "pyarrow", "numpy"),
    *("pydantic", "pydantic_settings", "confluent_kafka", "trimtab", "rich", "structlog", "yaml"),
}
"""What takes longer to import than all the rest of the command line."""


def commands() -> Iterator[tuple[str, ...]]:
    """Every command and group, as typed."""

    def below(command: object, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        yield path
        for name, inner in getattr(command, "commands", {}).items():
            yield from below(inner, (*path, name))

    return below(typer.main.get_command(app), ())


@pytest.mark.parametrize("command", list(commands()), ids=lambda path: " ".join(path) or "trimtab")
def test_help_leads_with_examples(run: Run, command: tuple[str, ...]) -> None:
    """Every command shows how it is called before it lists its options."""
    code, out, _ = run(*command, "--help")
    assert 0 == code
    example = " ".join(("trimtab", *command))
    assert out.index("Examples:") < out.index(f"\n    {example}") < out.index("Options:")


@pytest.mark.slow
def test_what_documents_tell_people_to_type_can_be_typed() -> None:
    """The commands in them exist, and the options of these."""
    known = {path for path in commands() if path}
    seen = 0
    for line in [line for page in files("*.md") for line in examples.commands(text(page))]:
        words = line.split()
        path = tuple(words[:2]) if tuple(words[:2]) in known else tuple(words[:1])
        assert path in known, line
        options = {option for it in named(path).params for option in it.opts}
        assert {it for it in words if it.startswith("--")} <= options, line
        seen += 1

    assert 15 < seen


def named(path: tuple[str, ...]) -> typer.core.TyperCommand:
    """The command of this name."""
    command: Any = typer.main.get_command(app)
    for name in path:
        command = command.commands[name]
    return command  # type: ignore[no-any-return]  # it ships no types


def test_without_arguments_there_is_help(run: Run) -> None:
    """Whoever types only the name learns what can follow."""
    code, out, err = run()
    assert 2 == code
    assert "trimtab demo" in out + err


def test_help_does_not_load_spark() -> None:
    """`--help` answers at once: nothing heavy is imported before a command runs."""
    code = f"import sys, console.main; print({HEAVY} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "set()" == done.stdout.strip()


def test_help_names_every_exit_code(run: Run) -> None:
    """Scripts rely on them."""
    told = run("--help")[1].partition("Exit codes:")[2]
    assert {str(it.value) for it in ExitCode} <= {*re.findall(r"\d+", told)}


def test_a_full_disk_is_one_line() -> None:
    """And not a traceback when Python ends."""
    call = [sys.executable, "-m", "console.main", "version"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(call, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (1, "trimtab: No space left on device\n") == (done.returncode, done.stderr)


def test_an_argument_that_is_no_text_is_refused(run: Run) -> None:
    """As the operating system hands over bytes that are not UTF-8."""
    code, out, err = run("groups", "describe", "\udcff")
    assert (2, "") == (code, out)
    assert err.endswith(": is not UTF-8 text\n")


@pytest.mark.parametrize("duration", ["99999999999d", "10", "-1s"])
def test_a_duration_that_no_clock_has_is_refused(run: Run, duration: str) -> None:
    """However long it is."""
    code, out, err = run("groups", "pause", "a", "--for", duration, "--reason", "r")
    assert (2, "") == (code, out)
    assert err.startswith("trimtab: --for must be ")
    assert 1 == len(err.splitlines())


def test_an_unknown_command_is_a_usage_error(run: Run) -> None:
    """Exit code 2, and the word that was wrong."""
    code, out, err = run("kafka", "frobnicate")
    assert (2, "") == (code, out)
    assert "frobnicate" in err


def test_a_failure_moves_no_cursor(run: Run) -> None:
    """It may quote what somebody else has said."""
    assert run("config", "show", "--set", "a\x1b[2J=1")[2].startswith(
        "trimtab: unknown setting a\\x1b[2J"
    )


def test_an_expected_failure_is_one_line(run: Run) -> None:
    """On stderr, with its exit code; no traceback."""
    code, out, err = run("config", "show", "--set", "home")
    assert (2, "") == (code, out)
    assert "trimtab: --set home: give it as KEY=VALUE\n" == err


def test_debug_shows_where_it_came_from(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The traceback is for whoever asks."""
    monkeypatch.delenv("TRIMTAB_DEBUG", raising=False)
    code, _, err = run("--debug", "config", "show", "--set", "home")
    assert 2 == code
    assert "Traceback" in err
    assert err.endswith("trimtab: --set home: give it as KEY=VALUE\n")


def test_config_show_speaks_three_languages(run: Run) -> None:
    """The same settings as a table, as JSON and as a settings file."""
    as_json = json.loads(run("config", "show", "-o", "json")[1])
    as_toml = tomllib.loads(run("config", "show", "-o", "toml")[1])
    table = run("config", "show")[1].splitlines()
    assert ["KEY", "VALUE", "ORIGIN"] == table[0].split()
    assert ["home", ".trimtab", "default"] == table[1].split()
    assert len(as_json) == len(table) - 1
    assert {"key": "home", "value": ".trimtab", "origin": "default"} == as_json[0]
    assert "10s" == as_toml["policy"]["session_timeout"]


def test_config_schema_is_a_json_schema(run: Run) -> None:
    """Its defaults are written as a file would have them."""
    schema = json.loads(run("config", "schema")[1])
    assert "10s" == schema["$defs"]["PolicySettings"]["properties"]["session_timeout"]["default"]


def test_version_names_what_it_runs_on(run: Run) -> None:
    """What a bug report needs."""
    code, out, _ = run("version", "-o", "yaml")
    assert 0 == code
    assert {"trimtab-controller", "trimtab", "pyspark", "confluent-kafka", "python"} == set(
        yaml.safe_load(out)
    )


def test_the_version_is_an_option_too(run: Run) -> None:
    """As with most commands; and it says no more."""
    version = yaml.safe_load(run("version", "-o", "yaml")[1])["trimtab-controller"]
    assert (0, f"trimtab {version}\n", "") == run("--version")


def test_a_stopped_kafka_is_unhealthy_but_not_an_error(run: Run) -> None:
    """Exit code 3, with the same report on stdout as when it runs."""
    code, out, err = run("kafka", "status", "-o", "json")
    assert (3, "") == (code, err)
    assert "stopped" == json.loads(out)["state"]


def test_stopping_nothing_is_fine(run: Run) -> None:
    """`stop` may be called twice."""
    code, out, _ = run("--quiet", "kafka", "stop")
    assert 0 == code
    assert out.startswith("no Kafka runs in ")


def test_a_cluster_that_is_not_there_is_named(run: Run) -> None:
    """Exit code 4, and what to do."""
    code, _, err = run("topics", "check")
    assert 4 == code
    home = Path.cwd() / ".trimtab"
    line = (
        f"trimtab: no Kafka runs in {home}, and kafka.bootstrap_servers is not set: name the "
        "settings by --config or TRIMTAB_CONFIG, or start one with `trimtab kafka start`\n"
    )
    assert line == err


@pytest.mark.parametrize(
    "command", [("topics", "check"), ("kafka", "start"), ("kafka", "status"), ("kafka", "stop")]
)
def test_a_home_that_cannot_be_used_is_one_line(
    run: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """With its path; whatever the command would have done there."""
    (tmp_path / "file").write_text("")
    code, out, error = run(*command, "--set", f"home={tmp_path / 'file'}")
    last = error.splitlines()[-1]

    assert (1, "") == (code, out)
    assert last.startswith(f"trimtab: {tmp_path / 'file'}")
    assert last.endswith(": Not a directory")
    assert "Traceback" not in error


def test_a_controller_names_the_home_that_it_cannot_use(tmp_path: Path) -> None:
    """And the key."""
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(Failure, match="which cannot be used: File exists; set home to"),
        controller._sole_controller(tmp_path / "file"),  # noqa: SLF001 - the rest starts Spark
    ):
        pass


def test_a_settings_file_that_is_no_text_is_named(run: Run, tmp_path: Path) -> None:
    """It is not decoded in the user's face."""
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    code, _, error = run("config", "show", "--config", str(tmp_path / "binary"))

    assert 2 == code
    assert f"trimtab: the settings file: {tmp_path / 'binary'}: is not utf-8 text\n" == error


@pytest.mark.parametrize(
    "command",
    [
        ("topics", "check"),
        ("brokers", "list"),
        ("groups", "pause", "billing", "--reason", "x"),
        ("check",),
    ],
)
def test_an_option_that_kafka_s_client_does_not_know_is_named(
    run: Run, command: tuple[str, ...]
) -> None:
    """With its key, by every command that asks Kafka."""
    cluster = ("--set", "kafka.bootstrap_servers=localhost:1")
    code, _, error = run(*command, *cluster, "--set", 'kafka.options={"nope": "1"}')
    last = error.splitlines()[-1]

    assert (2, 'trimtab: kafka.options: No such configuration property: "nope"') == (code, last)


def test_a_name_that_is_none_is_refused_in_words(run: Run) -> None:
    """And not by a pattern."""
    code, _, error = run("groups", "pause", "a\nb", "--reason", "x")

    assert 2 == code
    assert "a name has 1 to 255 characters, and no control" in error


def test_a_user_without_a_name_may_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Containers are run by any number."""

    def nameless() -> str:
        raise KeyError("getpwuid(): uid not found: 12345")

    monkeypatch.setattr("getpass.getuser", nameless)
    assert operator_commands.user().isdecimal()
