"""The cause of an ending is found in the text around it."""

import pytest
from confluent_kafka import KafkaError

from streaming.process.ending import Ending, ending_of, may_pass
from streaming.startup.supersession import TAKEN_OVER

LACKING = "the Python of Spark's workers lacks a package: install trimtab's there"
WRAPPED = """\
org.apache.spark.sql.streaming.StreamingQueryException: [STREAM_FAILED] Query [id = 1] terminated
\tat org.apache.spark.sql.execution.streaming.StreamExecution.runStream(StreamExecution.scala:1)
Caused by: org.apache.spark.api.python.PythonException: [PYTHON_EXCEPTION] An exception was thrown \
from the Python worker: Traceback (most recent call last):
  File "streaming/cell_operator.py", line 63, in __call__
    cell = Cell() if remembered is None else read(remembered)
                                             ^^^^^^^^^^^^^^^^
{raised}
 SQLSTATE: 38000
\tat org.apache.spark.api.python.BasePythonRunner.handlePythonException(PythonRunner.scala:1)
"""


@pytest.mark.parametrize(
    ("raised", "cause", "passes"),
    [
        (
            "streaming.cell.stored.unreadable.UnreadableState: the checkpoint holds nothing",
            "the checkpoint holds nothing",
            False,
        ),
        (
            f"streaming.startup.supersession.Superseded: {TAKEN_OVER}: t.routes/2@8",
            f"{TAKEN_OVER}: t.routes/2@8",
            False,
        ),
        (
            "streaming.cell.gate.Untold: Kafka has lost what start 1 was told of partition 2",
            "Kafka has lost what start 1 was told of partition 2",
            True,
        ),
        (
            "ModuleNotFoundError: No module named 'msgspec'",
            f"ModuleNotFoundError: No module named 'msgspec'; {LACKING}",
            False,
        ),
        ("AssertionError", "AssertionError", False),
        ("KeyError: 'q'", "KeyError: 'q'", False),
        ("ValueError: one\ntwo", "ValueError: one", False),
        ("OSError: [Errno 28] No space left", "OSError: [Errno 28] No space left", True),
        ("ConnectionResetError: gone", "ConnectionResetError: gone", True),
        ("MemoryError", "MemoryError", True),
        ("numpy._ArrayMemoryError: 8 GiB", "numpy._ArrayMemoryError: 8 GiB", True),
        ("pyarrow.lib.ArrowMemoryError: malloc", "pyarrow.lib.ArrowMemoryError: malloc", True),
    ],
)
def test_what_a_worker_raised_is_the_cause(raised: str, cause: str, passes: bool) -> None:  # noqa: FBT001 - a row of the table
    """Its last line; only the state of the machine passes by itself."""
    found = ending_of(WRAPPED.replace("{raised}", raised))
    assert (cause, passes) == (found.cause, found.passes)


def test_of_one_exception_behind_another_the_last_is_the_cause() -> None:
    """As Python prints them: the first is what the last one met."""
    raised = (
        "KeyError: 'q'\n\nDuring handling of the above exception, another exception occurred:\n\n"
        "Traceback (most recent call last):\n  File 'x'\nValueError: no queue"
    )

    assert "ValueError: no queue" == ending_of(WRAPPED.replace("{raised}", raised)).cause


def test_without_a_traceback_it_is_what_java_has_words_for() -> None:
    """A killed worker raises nothing, and Kafka's client is Java's."""
    text = (
        "org.apache.spark.SparkException: Job aborted\n\tat x\n"
        "Caused by: org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)\n"
        "\tat y\nCaused by: java.io.EOFException\n\tat z\n"
    )

    crashed = "org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)"
    assert Ending(crashed, passes=True) == ending_of(text)
    assert Ending("[X] this", passes=True) == ending_of("\n[X] this\nthat")
    assert Ending("the reason is unknown", passes=True) == ending_of("")


@pytest.mark.parametrize(
    ("caused", "passes"),
    [
        ("org.apache.kafka.common.errors.TimeoutException: Timed out", True),
        ("org.apache.kafka.common.errors.TopicAuthorizationException: Not authorized", False),
        ("org.apache.kafka.common.errors.SaslAuthenticationException: Authentication", False),
        ("org.apache.spark.sql.AnalysisException: Failed to find data source: kafka", False),
        ("java.lang.NoSuchMethodError: 'void org.apache.X.y()'", False),
        ("java.io.IOException: No space left on device", True),
    ],
)
def test_what_java_never_tries_again_does_not_pass(caused: str, passes: bool) -> None:  # noqa: FBT001 - a row of the table
    """Kafka's own clients end for these, and a class that is missing stays so."""
    text = f"org.apache.spark.SparkException: Job aborted\n\tat x\nCaused by: {caused}\n\tat y\n"

    found = ending_of(text)
    assert (caused, passes) == (found.cause, found.passes)


FETCHED = "java.util.concurrent.TimeoutException: Cannot fetch record for offset 12 in 120000 ms"
CHANGED = "java.lang.IllegalStateException: Partition t.routes-0's offset was changed from 10 to 0"
TIMED_OUT = "org.apache.kafka.common.errors.TimeoutException: Timed out"
RESET = f"{TIMED_OUT}\nCaused by: java.io.IOException: Connection reset"
LOST = "streaming.cell.gate.Untold: Kafka has lost what start 1 was told of partition 2"
FULL = "java.io.IOException: No space left on device"
FULL_HERE = "OSError: [Errno 28] No space left"


@pytest.mark.parametrize("caused", [FETCHED, CHANGED, TIMED_OUT, RESET])
def test_what_is_kafka_s_is_known(caused: str) -> None:
    """Also by Spark's words for it, wherever it stands: another machine would meet it, too."""
    assert ending_of(f"org.apache.spark.SparkException: Job aborted\nCaused by: {caused}").is_kafkas
    assert ending_of(WRAPPED.replace("{raised}", LOST)).is_kafkas


def test_what_is_this_machine_s_is_not_kafka_s() -> None:
    """Although it happens where Kafka is read and written."""
    frame = "\tat org.apache.spark.sql.kafka010.KafkaDataWriter.write(KafkaDataWriter.scala:1)"
    text = f"org.apache.spark.SparkException: Job aborted\n{frame}\nCaused by: {FULL}\n{frame}\n"
    assert not ending_of(text).is_kafkas
    assert not ending_of(WRAPPED.replace("{raised}", FULL_HERE)).is_kafkas


def test_kafka_s_errors_are_judged_alike() -> None:
    """By librdkafka's numbers."""
    assert may_pass(KafkaError(KafkaError._ALL_BROKERS_DOWN))  # noqa: SLF001 - librdkafka's own name
    assert may_pass(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART))
    assert not may_pass(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED))
    assert not may_pass(KafkaError(KafkaError._AUTHENTICATION))  # noqa: SLF001 - as above
