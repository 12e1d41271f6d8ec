"""The Java archives that Spark and the embedded Kafka run from: fetched once, verified, cached.

``deploy/jars/pom.xml`` says what, Maven fetches it, ``SHA256SUMS`` beside it says what must have
come. Archives appear in the cache by one rename, after their verification, under a stamp made of
both files: a fetch that was interrupted leaves nothing half done (Maven's own repository in the
cache keeps what had arrived), and an edited pom fetches anew.
"""

import hashlib
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from console.embedded.checksums import read_sums, sums_of, verify, write_sums
from console.embedded.java import find_java, find_maven
from console.errors import Failure
from console.file_lock import FileLock
from console.progress import SILENT, Progress

_ATTEMPTS = 3
"""A repository that fails three times in a row is down or out of reach, not hiccuping."""

_PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class JarCache:
    """Where the archives are described and where they are kept."""

    sources: Path
    """The directory of pom.xml and SHA256SUMS."""
    cache: Path

    @classmethod
    def default(cls) -> "JarCache":
        """The checkout's cache; without a checkout, a place in our own Python environment."""
        checkout = _PACKAGE.parent
        if (checkout / "deploy" / "jars" / "pom.xml").exists():
            return cls(checkout / "deploy" / "jars", checkout / ".cache")
        return cls(_PACKAGE / "_deploy" / "jars", Path(sys.prefix) / "share" / "trimtab")

    @property
    def directory(self) -> Path:
        """The root of the archives."""
        return self.cache / "jars"

    @property
    def spark(self) -> Path:
        """The directory of what a Spark driver needs to read and write Kafka."""
        return self.directory / "spark"

    @property
    def kafka(self) -> Path:
        """The directory of the Kafka server and all it runs with."""
        return self.directory / "kafka"

    @property
    def sums(self) -> Path:
        """The checked-in digests."""
        return self.sources / "SHA256SUMS"

    def is_complete(self) -> bool:
        """Say whether everything that the checked-in files name is there, and nothing older."""
        stamp = self.directory / "stamp"
        return (
            stamp.exists()
            and stamp.read_text() == self._stamp()
            and all((self.directory / name).exists() for name in read_sums(self.sums))
        )

    def fetch(self, progress: Progress = SILENT) -> None:
        """Fetch and verify the archives unless they are there.

        Raises:
            Failure: A tool is missing, the repository is out of reach, or an archive differs.
        """
        if self.is_complete():
            return
        find_java()
        maven = find_maven()
        with FileLock(self.cache / "jars.lock"):
            if not self.is_complete():  # another process may have fetched them meanwhile
                with progress.step("fetching Java archives for Spark and Kafka (55 MB, once)"):
                    arrived = self._download(maven)
                    verify(sums_of(arrived), read_sums(self.sums))
                self._install(arrived)

    def verify(self) -> int:
        """Compare every archive in the cache with its digest, and count them.

        Raises:
            Failure: One line for each that differs.
        """
        found = sums_of(self.directory)
        verify(found, read_sums(self.sums))
        return len(found)

    def rewrite_sums(self, progress: Progress = SILENT) -> int:
        """After an edit of pom.xml: fetch, write down the digests of what came, and count them."""
        find_java()
        maven = find_maven()
        with FileLock(self.cache / "jars.lock"), progress.step("fetching Java archives"):
            arrived = self._download(maven)
            sums = sums_of(arrived)
            write_sums(self.sums, sums)
            self._install(arrived)
        return len(sums)

    def _download(self, maven: Path) -> Path:
        arrived = self.cache / "jars.partial"
        shutil.rmtree(arrived, ignore_errors=True)
        command: list[str | Path] = [
            *(maven, "--batch-mode", "--no-transfer-progress", "--strict-checksums"),
            *("--file", self.sources / "pom.xml"),
            *(f"-Dmaven.repo.local={self.cache / 'm2'}", f"-Djars.directory={arrived}"),
            *("dependency:copy@spark", "dependency:copy-dependencies@kafka"),
        ]
        log = self.cache / "maven.log"
        for _ in range(_ATTEMPTS):
            with log.open("wb") as output:
                answer = subprocess.run(
                    command, stdout=output, stderr=subprocess.STDOUT, check=False
                )
            if answer.returncode == 0:
                return arrived
        reason = _first_error(log.read_text(errors="replace"))
        raise Failure(f"Maven could not fetch the Java archives: {reason}; see {log}")

    def _install(self, arrived: Path) -> None:
        (arrived / "stamp").write_text(self._stamp())
        shutil.rmtree(self.directory, ignore_errors=True)
        arrived.rename(self.directory)

    def _stamp(self) -> str:
        described = (self.sources / "pom.xml").read_bytes() + self.sums.read_bytes()
        return hashlib.sha256(described).hexdigest()


def _first_error(output: str) -> str:
    errors = (line for line in output.splitlines() if line.startswith("[ERROR]"))
    return next(errors, "no reason given").removeprefix("[ERROR]").strip()
