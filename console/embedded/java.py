"""Find Java and Maven, and say in one line what to install when they are missing or too old.

Called before anything is downloaded or started, so that a newcomer learns at once what the machine
lacks.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from console.errors import ExitCode, Failure

MINIMUM_JAVA = 17
"""Kafka 4 and Spark 4 both run on Java 17 or newer."""

_VERSION = re.compile(r'version "(\d+)')
_INSTALL_JAVA = (
    f"install Java {MINIMUM_JAVA} or newer or set JAVA_HOME "
    f"(Debian: apt install openjdk-{MINIMUM_JAVA}-jre-headless, "
    f"macOS: brew install openjdk@{MINIMUM_JAVA})"
)


def find_java() -> Path:
    """The ``java`` that JAVA_HOME or PATH names, if it is new enough."""
    home = os.environ.get("JAVA_HOME")
    found = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if found is None or not os.access(found, os.X_OK):
        where = f", and JAVA_HOME is {home}" if home else ""
        raise Failure(f"Java is missing{where}: {_INSTALL_JAVA}", ExitCode.USAGE)
    answer = subprocess.run([found, "-version"], capture_output=True, text=True, check=False)
    version = _VERSION.search(answer.stderr)
    if version is None:
        raise Failure(f"{found} is not a working Java: {_INSTALL_JAVA}", ExitCode.USAGE)
    if int(version[1]) < MINIMUM_JAVA:
        raise Failure(f"{found} is Java {version[1]}: {_INSTALL_JAVA}", ExitCode.USAGE)
    return Path(found)


def find_maven() -> Path:
    """The ``mvn`` on PATH."""
    found = shutil.which("mvn")
    if found is None:
        raise Failure(
            "Maven is missing: install it (Debian: apt install maven, macOS: brew install maven)",
            ExitCode.USAGE,
        )
    return Path(found)
