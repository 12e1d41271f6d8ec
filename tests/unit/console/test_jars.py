"""Archives appear in the cache whole and verified, or not at all; and are fetched once.

Maven's part is played by a script that writes two small files: what is tested is what happens
around it. The real fetch runs in every set-up.
"""

from hashlib import sha256
from pathlib import Path

import pytest

from console.embedded.jars import JarCache
from console.errors import Failure
from tests.unit.console.test_java import tool

SPARK, KAFKA = b"a connector", b"a broker"
POM = "<project/>"

MAVEN = """
echo called >> {calls}
for argument in "$@"; do
  case "$argument" in -Djars.directory=*) to="${{argument#-Djars.directory=}}";; esac
done
mkdir -p "$to/spark" "$to/kafka"
printf 'a connector' > "$to/spark/connector.jar"
{then}
printf 'a broker' > "$to/kafka/broker.jar"
"""


class Repository:
    """A pom with its sums, a Maven that counts its calls, and an empty cache."""

    def __init__(self, root: Path) -> None:
        self.bin = root / "bin"
        self.calls = root / "calls"
        self.jars = JarCache(root / "sources", root / "cache")
        self.jars.sources.mkdir()
        (self.jars.sources / "pom.xml").write_text(POM)
        self.expect(SPARK, KAFKA)
        tool(self.bin, "java", "echo 'openjdk version \"17\"' >&2")
        self.maven()

    def expect(self, spark: bytes, kafka: bytes) -> None:
        """Write SHA256SUMS."""
        self.jars.sums.write_text(
            f"{sha256(kafka).hexdigest()}  kafka/broker.jar\n"
            f"{sha256(spark).hexdigest()}  spark/connector.jar\n"
        )

    def maven(self, then: str = "") -> None:
        """Install a Maven that does ``then`` half-way."""
        tool(self.bin, "mvn", MAVEN.format(calls=self.calls, then=then))

    @property
    def fetched(self) -> int:
        """How often Maven was called."""
        return len(self.calls.read_text().splitlines()) if self.calls.exists() else 0


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository whose tools are first on PATH."""
    made = Repository(tmp_path)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(made.bin), prepend=":")
    return made


def test_fetched_once(repository: Repository) -> None:
    """A second fetch finds the stamp and calls nobody."""
    repository.jars.fetch()
    repository.jars.fetch()
    assert 1 == repository.fetched
    assert SPARK == (repository.jars.spark / "connector.jar").read_bytes()
    assert KAFKA == (repository.jars.kafka / "broker.jar").read_bytes()
    assert 2 == repository.jars.verify()


@pytest.mark.parametrize("edited", ["pom.xml", "SHA256SUMS"])
def test_an_edit_fetches_anew(repository: Repository, edited: str) -> None:
    """The stamp is made of both files, so a change of either counts."""
    repository.jars.fetch()
    with (repository.jars.sources / edited).open("a") as file:
        file.write("\n")
    repository.jars.fetch()
    assert 2 == repository.fetched


def test_a_lost_archive_is_fetched_again(repository: Repository) -> None:
    """Whoever deletes a file from the cache gets it back."""
    repository.jars.fetch()
    (repository.jars.kafka / "broker.jar").unlink()
    repository.jars.fetch()
    assert 2 == repository.jars.verify()


def test_a_hiccup_is_tried_again(repository: Repository) -> None:
    """A first failure of the network costs a second call, not the fetch."""
    repository.maven(f'[ "$(wc -l < {repository.calls})" -gt 1 ] || exit 1')
    repository.jars.fetch()
    assert 2 == repository.fetched


def test_an_outage_leaves_nothing_and_names_the_log(repository: Repository) -> None:
    """After three attempts Maven's own reason is shown, and the cache holds nothing half done."""
    repository.maven("echo '[ERROR] Could not transfer artifact x'; exit 1")
    with pytest.raises(Failure, match=r"Could not transfer artifact x; see .*maven\.log"):
        repository.jars.fetch()
    assert 3 == repository.fetched
    assert not repository.jars.directory.exists()
    assert not repository.jars.is_complete()


@pytest.mark.parametrize(
    ("spark", "kafka", "expected"),
    [
        (b"another", KAFKA, "Java archive spark/connector.jar has SHA-256"),
        (SPARK, b"another", "Java archive kafka/broker.jar has SHA-256"),
    ],
)
def test_another_content_is_refused_by_name(
    repository: Repository, spark: bytes, kafka: bytes, expected: str
) -> None:
    """What came is not what was reviewed: nothing is installed, and the line names the file."""
    repository.expect(spark, kafka)
    with pytest.raises(Failure, match=expected):
        repository.jars.fetch()
    assert not repository.jars.directory.exists()


def test_missing_and_unexpected_archives_are_named(repository: Repository) -> None:
    """One line for each."""
    repository.jars.sums.write_text(f"{'0' * 64}  kafka/old.jar\n")
    with pytest.raises(Failure) as failure:
        repository.jars.fetch()
    assert [
        "Java archive kafka/broker.jar is not in SHA256SUMS",
        "Java archive kafka/old.jar is missing",
        "Java archive spark/connector.jar is not in SHA256SUMS",
    ] == str(failure.value).splitlines()


def test_a_spoilt_cache_is_noticed(repository: Repository) -> None:
    """`trimtab kafka fetch` compares again what it finds."""
    repository.jars.fetch()
    (repository.jars.kafka / "broker.jar").write_bytes(b"spoilt")
    with pytest.raises(Failure, match=r"kafka/broker\.jar has SHA-256"):
        repository.jars.verify()


def test_sums_are_rewritten_on_demand(repository: Repository) -> None:
    """After an edit of the pom: one command writes what a reviewer then reads."""
    repository.jars.sums.write_text("")
    assert 2 == repository.jars.rewrite_sums()
    repository.jars.fetch()
    assert 1 == repository.fetched
    assert [
        f"{sha256(KAFKA).hexdigest()}  kafka/broker.jar",
        f"{sha256(SPARK).hexdigest()}  spark/connector.jar",
    ] == repository.jars.sums.read_text().splitlines()
