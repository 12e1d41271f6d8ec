"""A standby is asked to take over, whatever the clock here says."""

import inspect
import json
from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from console import at_work, handing_over
from console.at_work import HEARD_S
from console.commands import controllers
from console.errors import Away, ExitCode, Failure
from console.output import Format, Shown, write
from console.published import Published
from console.settings.units import parse_duration
from streaming.startup.takeover import LONGEST_S
from tests.builders.command_line import Run
from tests.unit.console.views.published_records import START_MS
from tests.unit.console.views.test_controllers import SAID
from trimtab.protocol import Controller

EVERY_MS = 5_000
"""A controller speaks so often."""


class Kafka:
    """Where the controllers a and b speak every five seconds, one at work, one standing by.

    The standby does a moment before the other. The brokers' clocks are right, but for those of
    ``ahead_ms``. An ``old`` one has ended ``old_s`` ago.
    """

    def __init__(self, off_s: int = 0, *, obeys: bool = True, lives: bool = True) -> None:
        self._now_ms, self._off_ms = START_MS, off_s * 1_000
        self._obeys, self._lives = obeys, lives
        self.asked: list[str] = []
        self.ahead_ms: dict[str, int] = {}
        self.away_s = 0.0
        """For how long Kafka is away from when it was asked."""
        self.unseen: Exception = Away("Kafka does not answer")
        """What a look meets then."""
        self.is_interrupted = False
        """Whether Ctrl-C ends the waiting."""
        self._asked_s = 0.0
        self.old_s, self.old_role = 600, "ended"

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self._now_ms += round(seconds * 1_000)

    def time_ns(self) -> int:
        """Tell the time by the clock here."""
        return (self._now_ms + self._off_ms) * 1_000_000

    def monotonic(self) -> float:
        """Tell how late it is."""
        return self._now_ms / 1_000

    def write(self, _settings: object, _topic: object, key: str, _record: object) -> None:
        """Take what is asked."""
        self.asked.append(key)
        self._asked_s = self.monotonic()

    def controllers(self) -> list[tuple[int, Controller]]:
        """Return the last word of each."""
        if self.asked and self.is_interrupted:
            raise KeyboardInterrupt
        if self.asked and self.monotonic() - self._asked_s < self.away_s:
            raise self.unseen
        now_ms = self._now_ms if self._lives else START_MS - 60_000
        roles = {"a": "active", "b": "active" if self.asked and self._obeys else "standby"}
        one = Controller.model_validate_json(SAID).model_copy(update={"failures": None})
        words = [
            ((now_ms + early_ms) // EVERY_MS * EVERY_MS - early_ms, name, roles[name])
            for name, early_ms in (("a", 0), ("b", 300))
        ]
        words.append((START_MS - self.old_s * 1_000, "old", self.old_role))
        return [
            (
                at_ms + self.ahead_ms.get(name, 0),
                one.model_copy(update={"controller": name, "role": role}),
            )
            for at_ms, name, role in words
        ]


@pytest.fixture
def kafka(monkeypatch: pytest.MonkeyPatch) -> Kafka:
    """One in which all is well."""
    return played(monkeypatch, Kafka())


def played(monkeypatch: pytest.MonkeyPatch, kafka: Kafka) -> Kafka:
    """Have the command ask this one."""
    monkeypatch.setattr(handing_over, "time", kafka)
    monkeypatch.setattr(at_work, "time", kafka)
    monkeypatch.setattr(handing_over, "write", kafka.write)
    monkeypatch.setattr(Published, "controllers", lambda _: kafka.controllers())
    return kafka


def hand_over(run: Run) -> tuple[int, str, str]:
    """Ask for it, without a name."""
    return run("controllers", "hand-over", "--set", "kafka.bootstrap_servers=nowhere:1")


OFF = pytest.mark.parametrize("off_s", [-3_600, -65, -60, -50, -16, 0, 4, 12, 16, 3_600])
"""How far the clock here is ahead: also so far behind that who died a minute ago looks alive."""


@OFF
def test_a_standby_is_found_by_every_clock(
    run: Run, monkeypatch: pytest.MonkeyPatch, off_s: int
) -> None:
    """A laptop that is ahead would find all of them silent."""
    kafka = played(monkeypatch, Kafka(off_s))

    assert (0, "done: b is the active controller\n", "") == hand_over(run)
    assert ["b"] == kafka.asked


@OFF
@pytest.mark.parametrize("lives", [True, False])
def test_who_lives_is_listed_by_every_clock(
    run: Run, monkeypatch: pytest.MonkeyPatch, off_s: int, *, lives: bool
) -> None:
    """A laptop that is ahead would list nobody; one that is behind, whoever was killed."""
    found = listed(run, monkeypatch, Kafka(off_s, lives=lives), "--living")

    assert (["a", "b"] if lives else []) == [*found]


@pytest.mark.parametrize("off_s", [-16, 0, 12, 16])
@pytest.mark.parametrize(
    "ahead_ms",
    [{}, {"b": 20_000}, {"a": -20_000}, {"old": 3_600_000}, {"a": 3_600_000, "old": 7_200_000}],
    ids=["right", "one ahead", "one behind", "one was ahead", "ahead, and was more"],
)
def test_who_lives_is_listed_whatever_the_brokers_clocks_are(
    run: Run, monkeypatch: pytest.MonkeyPatch, off_s: int, ahead_ms: dict[str, int]
) -> None:
    """Two controllers write to two brokers, so their times tell nothing of each other."""
    kafka = Kafka(off_s)
    kafka.ahead_ms = ahead_ms

    assert {"a": "active", "b": "standby", "old": "ended"} == listed(run, monkeypatch, kafka)
    assert ["a", "b"] == [*listed(run, monkeypatch, kafka, "--living")]


@OFF
@pytest.mark.parametrize("lives", [True, False])
def test_who_lives_is_watched_by_every_clock(
    run: Run, monkeypatch: pytest.MonkeyPatch, off_s: int, *, lives: bool
) -> None:
    """From the first line on: programs take it for true."""
    kafka, seen = Kafka(off_s, lives=lives), list[list[str]]()

    def looks_again(draw: Callable[[], Shown], *_: object, **__: object) -> None:
        for _look in range(5):
            shown: Any = draw().result
            seen.append([it["controller"] for it in shown["controllers"]])
            kafka.sleep(2)
        write(draw().text(Format.JSON))

    monkeypatch.setattr(controllers, "watched", looks_again)
    found = listed(run, monkeypatch, kafka, "--living", "--watch")

    assert [["a", "b"] if lives else []] * 6 == [*seen, [*found]]


@pytest.mark.parametrize(("old_s", "listens"), [(20, True), (61, False), (2_000_000, False)])
def test_one_that_ended_without_a_word_costs_no_time_for_ever(
    run: Run, monkeypatch: pytest.MonkeyPatch, old_s: int, *, listens: bool
) -> None:
    """As standbys do at each rollout: their last words stay."""
    kafka = Kafka()
    kafka.old_s, kafka.old_role = old_s, "standby"
    before_s = kafka.monotonic()

    assert "silent" == listed(run, monkeypatch, kafka)["old"]
    assert listens == (before_s < kafka.monotonic())


def test_one_that_has_ended_is_not_expected_to_speak(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How long ago it did is as it is, also after listening to the others."""
    kafka = Kafka()
    kafka.old_s, kafka.ahead_ms = 3, {"b": 20_000}

    assert 3 + round(HEARD_S) == rows(run, monkeypatch, kafka)["old"]["said_s"]


def listed(
    run: Run, monkeypatch: pytest.MonkeyPatch, kafka: Kafka, *options: str
) -> dict[str, str]:
    """Return which controllers are listed, and as what."""
    return {name: it["role"] for name, it in rows(run, monkeypatch, kafka, *options).items()}


def rows(
    run: Run, monkeypatch: pytest.MonkeyPatch, kafka: Kafka, *options: str
) -> dict[str, dict[str, Any]]:
    """Return what is listed of each controller."""
    monkeypatch.setattr(at_work, "time", kafka)
    monkeypatch.setattr(Published, "controllers", lambda _: kafka.controllers())
    given = ("-o", "json", "--set", "kafka.bootstrap_servers=nowhere:1")
    code, out, _ = run("controllers", "list", *options, *given)

    assert code == 0
    return {it["controller"]: it for it in json.loads(out)["controllers"]}


@OFF
def test_one_that_is_gone_is_not_asked(
    run: Run, monkeypatch: pytest.MonkeyPatch, off_s: int
) -> None:
    """Its last word stays."""
    kafka = played(monkeypatch, Kafka(off_s, lives=False))
    code, _, err = hand_over(run)

    assert (ExitCode.NOT_FOUND, []) == (code, kafka.asked)
    assert "there is no standby" in err


REFUSED = KafkaException(KafkaError(KafkaError._INVALID_ARG, "its key does not fit"))  # noqa: SLF001 - its public name
UNSEEN = [Away("Kafka does not answer"), Failure("no right to read controllers"), REFUSED]


@pytest.mark.parametrize("unseen", UNSEEN)
@pytest.mark.parametrize("away_s", [0.0, 300.0])
def test_what_was_asked_stays(
    run: Run, monkeypatch: pytest.MonkeyPatch, away_s: float, unseen: Exception
) -> None:
    """Whoever is told that it has not happened must know that it still may."""
    kafka = played(monkeypatch, Kafka(obeys=False))
    kafka.away_s, kafka.unseen = away_s, unseen
    code, out, err = hand_over(run)

    assert (ExitCode.TIMEOUT, "", ["b"]) == (code, out, kafka.asked)
    assert "and may still be: " in err
    said = unseen.args[0].str() if isinstance(unseen, KafkaException) else str(unseen)
    assert (away_s > 0) == (said in err)
    assert err.endswith("hand-over to b\n")


@pytest.mark.parametrize("unseen", UNSEEN)
def test_a_kafka_that_is_away_for_a_moment_is_waited_for(
    run: Run, kafka: Kafka, unseen: Exception
) -> None:
    """A broker that goes ends no command that has a minute, nor does a new certificate."""
    kafka.away_s, kafka.unseen = 5.0, unseen

    assert (0, "done: b is the active controller\n", "") == hand_over(run)


def test_who_waits_no_longer_is_told_what_was_asked(run: Run, kafka: Kafka) -> None:
    """Ctrl-C takes nothing back, and the active controller ends by it."""
    kafka.is_interrupted = True
    code, out, err = hand_over(run)

    assert (ExitCode.INTERRUPTED, "", ["b"]) == (code, out, kafka.asked)
    assert "may be written already" in err
    assert "trimtab: hand-over to b\n" in err


def test_the_command_waits_longer_than_the_standby() -> None:
    """Which waits for the other one's batch, and then has to do one of its own."""
    waits = inspect.signature(controllers.hand_over).parameters["timeout"].default

    assert LONGEST_S < parse_duration(waits).total_seconds()
