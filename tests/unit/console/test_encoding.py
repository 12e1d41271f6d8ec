"""What a stdout that lacks most of Unicode, or is closed, gets."""

import json
import os
import subprocess
import sys
import tomllib

import pytest
import yaml

from console.encoding import as_json, as_toml, as_yaml


@pytest.mark.slow
def test_a_name_that_the_terminal_cannot_write_is_escaped() -> None:
    """In Latin-1 a name of another script is no reason to fail."""
    latin = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    call = [sys.executable, "-m", "console.main", "config", "show", "--set", "home=\u65e5\u672c"]
    done = subprocess.run(call, capture_output=True, env=latin, check=False)
    assert (0, b"") == (done.returncode, done.stderr)
    assert rb"\u65e5\u672c" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_settings_are_valid_in_every_encoding(encoding: str) -> None:
    """As JSON and as TOML, which escape in ways of their own."""
    env = {**os.environ, "PYTHONIOENCODING": encoding}
    call = [sys.executable, "-m", "console.main", "config", "show", "--set", "home=/é/😀"]

    def told(output: str) -> str:
        return subprocess.check_output([*call, "-o", output], env=env).decode(encoding)

    as_json = json.loads(told("json"))
    assert "/é/😀" == as_json[0]["value"] == tomllib.loads(told("toml"))["home"]
    assert as_json == yaml.safe_load(told("yaml"))


@pytest.mark.parametrize(
    "evil", ["\x9b31m", "\x7f", "\x1b[31m", "\u202e", "\u2066", "\u2028", "\x85"]
)
def test_programs_and_terminals_may_read_the_same(evil: str) -> None:
    """A stranger's dead letter holds any bytes, and a terminal obeys U+009B as it does ESC [."""
    name = f"é日😀{evil}"
    written = [as_json({name: [name]}), as_json({name: name}, indent=2), as_toml(name)]

    assert [] == [it for it in written if evil[0] in it]
    assert {name: [name]} == json.loads(written[0])
    assert {name: name} == json.loads(written[1])
    assert name == tomllib.loads(f"name = {written[2]}")["name"]
    assert all("é日😀" in it for it in written)
    in_yaml = as_yaml({name: [name]})
    assert evil[0] not in in_yaml
    assert {name: [name]} == yaml.safe_load(in_yaml)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "closed", "code"),
    [
        ("kafka status", ">&-", 3),
        ("config show --set home", "2>&-", 2),
        ("version", "<&- >&- 2>&-", 0),
    ],
)
def test_a_closed_stream_is_no_failure(asked: str, closed: str, code: int) -> None:
    """Who closes one wants nothing of it: no traceback, and the command's own exit code."""
    call = ["sh", "-c", f'exec "{sys.executable}" -m console.main {asked} {closed}']
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert (code, False) == (done.returncode, "Traceback" in done.stderr)
