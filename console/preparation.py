"""The preparation of an installation: what every later start of the controller profits from.

A controller is run until it works, with a Kafka and a home that nobody else has, and what Java has
loaded by then is written down, of Spark (``streaming.class_archive``) and of Kafka.
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from console import logs
from console.controller import Asked, run
from console.embedded.broker import EmbeddedKafka
from console.embedded.broker_files import class_archive
from console.embedded.jars import JarCache
from console.embedded.java import find_java
from console.errors import Failure
from console.progress import Progress
from console.settings import Settings
from console.settings.sections import ControllerSettings, KafkaSettings, LogSettings


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
    partial = brokers.with_suffix(".partial")
    told = os.environ.get("SPARK_SUBMIT_OPTS", "").split()
    os.environ["SPARK_SUBMIT_OPTS"] = " ".join([*told, *RECORDING])
    with (
        progress.step("starting a controller once, for Java to remember what it loads"),
        TemporaryDirectory(dir=jars.cache, prefix="prepare-") as home,
        EmbeddedKafka(Path(home), port=0, jars=jars, record=partial) as kafka,
    ):
        # Nothing that is set, in a file or in the environment, is for this one.
        settings = Settings.model_construct(
            home=home,
            kafka=KafkaSettings(bootstrap_servers=kafka.bootstrap_servers),
            controller=ControllerSettings(ui_port=0, http_port=0, checkpoint=f"{home}/checkpoint"),
            log=LogSettings(level="error"),  # nobody waits for what this one would say
        )
        logs.configure(settings.log)
        run(settings, Asked(init_topics=True), progress, [Recorder(Path(home), archive)])
    if not archive.exists():
        raise Failure("the controller was stopped before it worked: try again")
    partial.replace(brokers)
    return archive
