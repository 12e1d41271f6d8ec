"""What an operator sets of Spark's options, beside ours; and what a JVM said that gave up."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from console.settings import load
from console.settings.masking import MASK, masked
from console.wiring import options
from streaming import session
from streaming.options import Options
from streaming.session import session_options

FLAGS = "spark.driver.extraJavaOptions"
CLASSES = "spark.driver.extraClassPath"


def chosen(**further: str) -> Options:
    """A controller with these of Spark's options; an underscore is a point."""
    flags = [f"spark.options.{it.replace('_', '.')}={value}" for it, value in further.items()]
    settings = load(key_values=flags, environment={}).settings
    return options(settings, bootstrap_servers="k:1", jars=Path("jars"))


def test_java_s_flags_of_an_operator_come_after_ours() -> None:
    """Without ours a driver would live on without memory, log elsewhere, and write into /tmp."""
    ours = session_options(chosen())[FLAGS]

    both = session_options(chosen(spark_driver_extraJavaOptions="-Dmine=1 -XX:+UseZGC"))[FLAGS]

    assert f"{ours} -Dmine=1 -XX:+UseZGC" == both
    for flag in ("-XX:+ExitOnOutOfMemoryError", "-Dlog4j2.configurationFile", "-Djava.io.tmpdir"):
        assert flag in both


def test_classes_of_an_operator_come_after_ours() -> None:
    """Without ours there would be no connector for Kafka."""
    both = session_options(chosen(spark_driver_extraClassPath="/mine/*"))[CLASSES]

    assert "jars/*:/mine/*" == both
    assert "jars/*" == session_options(chosen(spark_driver_extraClassPath=""))[CLASSES]


def test_jars_of_an_operator_are_added_to_ours(tmp_path: Path) -> None:
    """Without ours a cluster's workers could not read Kafka; here they come by the class path."""
    here = session_options(chosen(spark_jars="/mine.jar"))
    (tmp_path / "kafka.jar").touch()
    cluster = chosen(spark_jars="/mine.jar")
    spark = replace(cluster.spark, master="spark://m:7077", jars=tmp_path)
    cluster = replace(cluster, spark=spark)

    assert "/mine.jar" == here["spark.jars"]
    assert f"{tmp_path / 'kafka.jar'},/mine.jar" == session_options(cluster)["spark.jars"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spark.hadoop.fs.s3a.secret.key", "hunter2"),
        ("spark.hadoop.fs.azure.account.key.ours.blob", "hunter2"),
        ("spark.ssl.keyPassword", "hunter2"),
        ("kafka.sasl.jaas.config", "hunter2"),
        ("spark.my.apikey", "hunter2"),
        ("spark.driver.extraJavaOptions", "-Dmine=x -Dmy.apikey=hunter2"),
        ("spark.executor.extraJavaOptions", "-Dmy.keyfile.text = hunter2"),
    ],
)
def test_the_page_of_settings_masks_what_config_show_masks(name: str, value: str) -> None:
    """Whoever reaches the page reads it (G12). Spark looks at the name, then at the value."""
    masks = re.compile(session_options(chosen())["spark.redaction.regex"])

    assert masks.search(name) or masks.search(value)
    assert MASK == masked(("spark", "options", name), value)


def test_the_page_of_settings_shows_what_is_no_secret() -> None:
    """Or the page would be of no use: a name within a path is none."""
    masks = re.compile(session_options(chosen())["spark.redaction.regex"])

    assert not any(map(masks.search, ("spark.jars", "/jars/monkeys/a.jar", "-Dmine=x")))


def test_spark_s_figures_keep_their_names_whatever_the_controller_is_called() -> None:
    """On Kubernetes that is the pod, another one after each rollout; docs/operate.md has them."""
    named = options(
        load(key_values=["controller.name=a"], environment={}).settings,
        bootstrap_servers="k:1",
        jars=Path("jars"),
    )

    assert "trimtab" == session_options(named)["spark.metrics.namespace"]


def test_any_other_option_of_an_operator_wins() -> None:
    """Over one of ours, too."""
    found = session_options(chosen(spark_ui_retainedJobs="7", spark_mine="x"))

    assert ("7", "x") == (found["spark.ui.retainedJobs"], found["spark.mine"])


def test_the_last_lines_are_those_of_this_start(tmp_path: Path) -> None:
    """However much it has said: the file may be large, and most of it is of other starts."""
    output = tmp_path / "spark.out"
    old = "of another start\n" * 1_000
    output.write_text(old)
    assert "it said nothing" == session._last(output, len(old))  # noqa: SLF001 - without a JVM

    output.write_text(f"{old}not found\n")
    assert "not found" == session._last(output, len(old))  # noqa: SLF001 - as above
    output.write_text(old + "at somewhere\n" * 100_000 + "a\n\n  b\nc\n")
    assert "a; b; c" == session._last(output, len(old))  # noqa: SLF001 - as above


def test_a_machine_that_sleeps_loses_no_executor() -> None:
    """Where it is the only one: Spark would end with it. A worker elsewhere is replaced."""
    patience = "spark.storage.blockManagerHeartbeatTimeoutMs"

    assert "7d" == session_options(chosen())[patience]

    cluster = ["spark.master=spark://m:7077", "spark.driver_host=here", "controller.checkpoint=/c"]
    away = load(key_values=cluster, environment={}).settings
    there = options(away, bootstrap_servers="k:1", jars=Path("jars"))
    assert patience not in session_options(there)
