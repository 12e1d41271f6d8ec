"""A standby takes over whatever becomes of the other controller; members notice nothing.

One story, since each start of Spark takes ten seconds: two controllers take turns over one
checkpoint, which each has a home beside.
"""

import signal
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from console.embedded.broker import EmbeddedKafka
from console.errors import ExitCode
from streaming.startup.supersession import TAKEN_OVER
from tests.builders.command_line import Run, caller
from tests.integration.conftest import SESSION_S, MakeMember
from tests.integration.controller.watched_group import WatchedGroup
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.topics import PARTITIONS

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

SOON_S = 15.0
"""Two seconds of silence and one of work; on cores that others use it takes longer."""
GIVES_WAY_S = 30.0
BRIEFLY_S = 3.0


@pytest.fixture
def run(
    kafka: EmbeddedKafka,
    topics_prefix: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """The command line, on this test's topics."""
    monkeypatch.setenv("TRIMTAB_KAFKA__BOOTSTRAP_SERVERS", kafka.bootstrap_servers)
    monkeypatch.setenv("TRIMTAB_TOPICS__PREFIX", topics_prefix)
    monkeypatch.setenv("TRIMTAB_TOPICS__PARTITIONS", str(PARTITIONS))
    return caller(monkeypatch, capsys)


def controller(kafka: EmbeddedKafka, prefix: str, home: Path, *further: str) -> ControllerProcess:
    """One of two, called as its home, over the same checkpoint."""
    return ControllerProcess(
        home,
        kafka.bootstrap_servers,
        prefix,
        further,
        **{"controller.name": home.name, "controller.checkpoint": home.parent / "checkpoint"},
    )


@pytest.mark.timeout(900)  # four starts of Spark
def test_a_standby_takes_over_and_members_notice_nothing(
    kafka: EmbeddedKafka,
    topics_prefix: str,
    tmp_path: Path,
    group: str,
    lone_member: MakeMember,
    run: Run,
) -> None:
    """Killed, asked to hand over, frozen: nothing moves, nobody expires, and joins are answered."""
    a = controller(kafka, topics_prefix, tmp_path / "a", "--standby")
    b = controller(kafka, topics_prefix, tmp_path / "b", "--standby")
    with ExitStack() as running:
        for it in (a, b):
            running.push(it)  # stopped when their members have left
        a.start()  # nobody is there
        b.stand_by()
        published = running.enter_context(
            closing(Published(kafka.bootstrap_servers, topics_prefix))
        )
        members = [running.enter_context(lone_member(name)) for name in "xy"]
        watched = WatchedGroup(published, group, members)

        one_is_killed(a, b, watched)
        members.append(running.enter_context(lone_member("z")))
        watched.settle()
        a.stand_by()
        one_is_upgraded(run, b, a, watched)
        b.stand_by()
        one_is_frozen(a, b, watched)


def one_is_killed(active: ControllerProcess, standby: ControllerProcess, it: WatchedGroup) -> None:
    """After two seconds of silence the other one works."""
    with it.unmoved(lasting=SESSION_S):
        active.kill()
        took_s = standby.takes_over(SOON_S)
    assert SOON_S > took_s
    assert standby.lines("taking over", "no controller has ticked")


def one_is_upgraded(
    run: Run, active: ControllerProcess, standby: ControllerProcess, it: WatchedGroup
) -> None:
    """An operator asks, and the other one works at once; a second time there is no standby."""
    with it.unmoved(lasting=BRIEFLY_S):
        code, out, err = run("controllers", "hand-over", "--reason", "upgrade")
        assert (ExitCode.OK, "done: a is the active controller\n") == (code, out), err
        assert ExitCode.TAKEN_OVER == active.ends(GIVES_WAY_S)
    assert standby.lines("taking over", "asked for it: upgrade")
    assert active.lines(TAKEN_OVER, "only as a standby")
    code, _, err = run("controllers", "hand-over")
    assert (ExitCode.NOT_FOUND, True) == (code, "there is no standby" in err)


def one_is_frozen(active: ControllerProcess, standby: ControllerProcess, it: WatchedGroup) -> None:
    """The other one works; whoever wakes up ends, and says why, and has done no harm."""
    ended_before = standby.lines(TAKEN_OVER)
    with it.unmoved(lasting=BRIEFLY_S):
        active.signal(signal.SIGSTOP)
        standby.takes_over(SOON_S)
        active.signal(signal.SIGCONT)
        assert ExitCode.TAKEN_OVER == active.ends(GIVES_WAY_S)
    assert active.lines(TAKEN_OVER, "only as a standby")
    assert ended_before == standby.lines(TAKEN_OVER)
