"""The preparation of an installation: what every later start of the controller profits from.

A controller is run until it works, with a Kafka and a home that nobody else has, and what Java has
loaded by then is written down, of Spark (``streaming.class_archive``) and of Kafka.
"""

import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from console import logs
from console.controller import Asked, BrokerWatch, run
from console.embedded.broker import EmbeddedKafka
from console.embedded.broker_files import class_archive, java_command
from console.embedded.jars import JarCache
from console.embedded.java import find_java
from console.errors import Failure
from console.progress import Progress
from console.settings import Settings
from console.settings.sections import ControllerSettings, KafkaSettings, LogSettings

if TYPE_CHECKING:
    from streaming.class_archive import Recorder


def prepare(progress: Progress) -> Path:
    """Run a controller until it works, write down what Java has loaded, and say where.

    Raises:
        Failure: Java or the archives are missing, or the controller does not come up.
    """
    from streaming.class_archive import RECORDING, Recorder, place

    jars = JarCache.default()
    find_java()
    jars.fetch(progress)
    archive, brokers = place(jars.spark), class_archive(jars.kafka)
    for it in (archive, brokers):
        it.unlink(missing_ok=True)  # a JVM that uses one cannot write one
    told = os.environ.get("SPARK_SUBMIT_OPTS", "").split()
    os.environ["SPARK_SUBMIT_OPTS"] = " ".join([*told, *RECORDING])
    with (
        progress.step("starting a controller once, for Java to remember what it loads"),
        TemporaryDirectory(dir=jars.cache, prefix="prepare-") as home,
    ):
        written = Path(home) / brokers.name
        with EmbeddedKafka(Path(home), port=0, jars=jars, record=written) as kafka:
            _run(Path(home), kafka, progress, Recorder(Path(home), archive))
        if not archive.exists() or not written.exists():
            raise Failure("the controller was stopped before it worked: try again")
        written.replace(brokers)
        if not works(jars.kafka, Path(home)):
            brokers.unlink()
            raise Failure("Java could not write down what Kafka loads: try again")
    return archive


def works(jars: Path, tmp: Path) -> bool:
    """Tell whether Java starts with Kafka's archive: with one that was cut off it may abort."""
    return tried(jars, tmp).returncode == 0


def tried(jars: Path, tmp: Path) -> subprocess.CompletedProcess[str]:
    """Start one of Kafka's tools, with the archive that lies beside these jars."""
    command = java_command(find_java(), jars, logs=tmp, tmp=tmp)
    asked = [*command, "kafka.tools.StorageTool", "random-uuid"]
    return subprocess.run(asked, cwd=tmp, capture_output=True, text=True, check=False)


def _run(home: Path, kafka: EmbeddedKafka, progress: Progress, recorder: "Recorder") -> None:
    """Run a controller until it is recorded. Nothing that is set anywhere is for this one."""
    settings = Settings.model_construct(
        home=str(home),
        kafka=KafkaSettings(bootstrap_servers=kafka.bootstrap_servers),
        controller=ControllerSettings(ui_port=0, http_port=0, checkpoint=f"{home}/checkpoint"),
        log=LogSettings(level="error"),  # nobody waits for what this one would say
    )
    logs.configure(settings.log)
    run(settings, Asked(init_topics=True), progress, [BrokerWatch(kafka), recorder])
