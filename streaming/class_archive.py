"""The class archive: Java's classes as they are after loading, for later starts to map into memory.

A start of Spark loads 19,000 classes: a third of its time. Java (17 and newer) can write down those
of a running process, and a later one with the same class path takes them from there. One that does
not fit, after an upgrade of Java or of a package, is passed over without a word: the start is then
as slow as before.

Made by `trimtab prepare`, used by ``session``; the embedded Kafka has one of its own. Its one rule:
with or without it, nothing behaves otherwise.
"""

from pathlib import Path
from threading import Event
from typing import Any, Final

from streaming.process.readiness import read

SILENT: Final = ("-Xlog:cds=off", "-Xlog:cds+dynamic=off", "-Xlog:class+path=off")
"""Java would say on standard output that an archive does not fit, and what it leaves out of one."""
RECORDING: Final = (
    "-XX:+RecordDynamicDumpInfo",
    *("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m"),
    *SILENT,
)
"""A JVM that was started so can write its classes down. In its fifteen seconds the second compiler
takes more than it gives; alone, the first one would have a fifth of the space of both (240 MB)."""
_WARM_S: Final = 3.0
"""After the first batch: more classes are loaded when records are written, and by ticks."""
_LOOK_S: Final = 0.2


def place(jars: Path) -> Path:
    """Return where the archive of a Spark with these jars is."""
    return jars.parent / "classes.jsa"


def flags(jars: Path) -> tuple[str, ...]:
    """Return what Java is told, if there is an archive."""
    archive = place(jars).absolute()
    return (f'"-XX:SharedArchiveFile={archive}"', *SILENT) if archive.exists() else ()


class Recorder:
    """Waits until the controller works, and writes down what Java has loaded; then it ends.

    Args:
        home: The controller's, on the disk of the archive.
        archive: The file to write; one that is there is replaced.
    """

    name = "class archive"

    def __init__(self, home: Path, archive: Path) -> None:
        self._home, self._archive = home, archive

    def run(self, stop: Event) -> None:
        """Wait, write, and tell the controller to stop."""
        while read(self._home) is None:
            if stop.wait(_LOOK_S):
                return
        if stop.wait(_WARM_S):
            return
        partial = self._home / self._archive.name  # nobody else writes there
        _dump(partial)
        partial.replace(self._archive)
        stop.set()


def _dump(archive: Path) -> None:
    """Do what `jcmd VM.cds dynamic_dump` does, which only a JDK has."""
    from pyspark import SparkContext  # noqa: PLC0415 - not loaded to start only a Kafka

    gateway: Any = SparkContext._gateway  # noqa: SLF001 - PySpark is pinned
    java = gateway.jvm
    words = _array(gateway, java.String, "dynamic_dump", str(archive))
    types = _array(gateway, java.String, "[Ljava.lang.String;")
    commands = java.javax.management.ObjectName("com.sun.management:type=DiagnosticCommand")
    call = _array(
        gateway, java.Object, commands, "vmCds", _array(gateway, java.Object, words), types
    )
    # By the interface's method: the class of the server itself is hidden from Py4J.
    server = java.java.lang.management.ManagementFactory.getPlatformMBeanServer()
    methods = java.java.lang.Class.forName("javax.management.MBeanServer").getMethods()
    (invoke,) = (it for it in methods if it.getName() == "invoke")
    said = str(invoke.invoke(server, call))
    if not archive.exists():
        raise OSError(f"Java did not write down its classes: {said.strip()}")


def _array(gateway: Any, kind: Any, *values: object) -> Any:  # noqa: ANN401 - of Py4J
    array = gateway.new_array(kind, len(values))
    for number, value in enumerate(values):
        array[number] = value
    return array
