"""The consumer in Java, alone and in one group with consumers in Python."""

import json
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from confluent_kafka import Producer

from bench.departures.supervised import SUPERVISED
from tests.integration.accounts import Account, ends
from tests.integration.conftest import QUEUES
from tests.integration.controller_process import ControllerProcess
from tests.integration.guarded import await_guard
from tests.integration.java_process import PATIENCE_S, JavaProcess
from tests.integration.java_programs import java
from tests.integration.published import Published
from tests.integration.watched_offsets import Offsets
from trimtab.guard_lines import ADDRESS, Farewell, Post, Welcome, heard, line_of
from trimtab.holdings import Holdings

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

EACH = 10
"""Messages of each queue."""
AT_ONCE_NS = 4_000_000_000
"""Far less than a session of silence, and enough for a machine that is busy."""
NOBODY = "127.0.0.1:1"
"""No Kafka is there."""
NOWHERE = "kafka.invalid:9092"
"""No host is called so (RFC 2606)."""
Arguments = Callable[[str], dict[str, object]]
Start = Callable[..., JavaProcess]


@pytest.fixture
def start(controller: ControllerProcess, group: str, topic: str, tmp_path: Path) -> Iterator[Start]:
    """Starts consumers in Java: of the test's group on its topic, or of what is said."""
    with ExitStack() as stack:

        def started(
            name: str, *options: str, by: tuple[str, ...] = (), **others: str
        ) -> JavaProcess:
            about = {"servers": controller.servers, "group": group, "topic": topic} | others
            where = [about["servers"], controller.prefix, about["group"], about["topic"]]
            command = [*java("KafkaWorker"), *where, name, *options]
            return stack.enter_context(JavaProcess(tmp_path / name, command, by))

        yield started


def took(worker: JavaProcess, count: int) -> dict[int, list[int]]:
    """Have one take so many messages, or more; return their offsets by partition."""
    before = sum(" took " in line for line in worker.lines())
    worker.tell(f"take {count}")
    said = worker.wait_for(" took ", before + 1).partition(" took ")[2]
    places = json.loads(re.sub(r"(\d+)=", r'"\1":', said))
    return {int(number): offsets for number, offsets in places.items()}


def of_each(*offsets: int) -> dict[int, list[int]]:
    """These of each queue."""
    return {number: [*offsets] for number in range(QUEUES)}


def test_java_and_python_share_a_group(
    account: Account, arguments: Arguments, start: Start, published: Published, group: str
) -> None:
    """They join, drain, are killed: none is lost, or twice but by the kill; no offset goes back."""

    def settle(*names: str) -> None:
        published.wait_until(lambda: published.is_stable(group, {*names}, QUEUES))
        before = len(account.effects)

        def all_work() -> bool:
            return {by for *_, by in account.effects[before:]} == {*names}

        account.wait_until(all_work, meanwhile=QUEUES)

    with Offsets(account.servers, group, account.topic, QUEUES) as offsets:
        java_a, java_b = start("java-a"), start("java-b")
        java_a.tell(f"work {account.effects_file}")
        with account.worker(arguments("python-a"), "each") as python_a:
            settle("java-a", "python-a")
            java_b.tell(f"work {account.effects_file}")
            settle("java-a", "java-b", "python-a")
            assert 0 == ends(python_a)
        settle("java-a", "java-b")
        assert 0 == java_a.end()
        with account.worker(arguments("python-b"), "each") as python_b:
            settle("java-b", "python-b")
            assert {"released"} == published.endings(group)
            assert set() == account.twice
            java_b.kill()
            in_doubt = {number for *_, number, by in account.effects if by == "java-b"}
            settle("python-b")
            account.wait_until(lambda: not account.lost)
            assert 0 == ends(python_b)

    assert account.twice <= in_doubt
    assert ([], []) == (offsets.backwards, offsets.outdated)
    assert min(offsets.latest.values()) > 0


def test_it_takes_what_it_is_asked_for(account: Account, start: Start) -> None:
    """Queues are paused and read again; others have what is not committed by hand."""
    account.produce(QUEUES * EACH)
    a = start("a", "commit=manual", "atOnce=20")
    first = took(a, QUEUES * EACH)
    a.tell("commit")
    committed = a.wait_for(" committed ")
    a.tell("seek 3 4")
    again = took(a, EACH - 4)
    a.tell("pause 0")
    account.produce(QUEUES)
    others = took(a, QUEUES - 1)
    a.tell("idle 300")
    idle = a.wait_for(" idle ")
    a.tell("resume 0")
    resumed = took(a, 1)
    a.tell("health")
    health = a.wait_for(" health ")
    assert 0 == a.end()
    rest = took(start("b"), QUEUES)

    assert of_each(*range(EACH)) == first
    assert "true" in committed
    assert {3: [*range(4, EACH)]} == again
    assert of_each(EACH) == others | {0: [EACH]}
    assert "idle 0" in idle
    assert (1, {0: [EACH]}) == (QUEUES - len(others), resumed)
    assert "ready=true" in health
    assert of_each(EACH) == rest


def test_a_message_that_nobody_can_read_is_passed_for_good(account: Account, start: Start) -> None:
    """Also where nothing comes after it, and it is committed by hand."""
    account.produce(QUEUES)
    a = start("a", "commit=manual")
    assert of_each(0) == took(a, QUEUES)
    with closing(Producer({"bootstrap.servers": account.servers})) as producer:
        producer.produce(account.topic, value=b"unreadable", partition=0)
        assert 0 == producer.flush(PATIENCE_S)
    a.tell("pass 1")
    passed = a.wait_for(" passed ")
    assert 0 == a.end()
    account.produce(QUEUES)
    found = took(start("b"), 2 * QUEUES - 1)

    assert passed.endswith("passed 0 1 true")
    assert of_each(0, 1) | {0: [2]} == found


def test_a_stuck_loop_gives_up_and_says_so(account: Account, start: Start) -> None:
    """Others go on with all that it had, also with what it has in hand."""
    account.produce(QUEUES)
    stuck, heir = start("stuck", "maxPoll=PT2S", "atOnce=1"), start("heir")
    in_hand = took(stuck, 1)
    stuck.tell("sleep 5000")
    found = took(heir, QUEUES)
    stuck.tell("take 1")

    assert 1 == stuck.end()
    assert "maxPollInterval" in stuck.wait_for(" StuckException ")
    assert of_each(0) == found
    assert in_hand.items() <= found.items()


def test_it_begins_where_it_is_told(account: Account, start: Start, group: str) -> None:
    """Where nothing was committed; and it says so in Kafka before it reads."""
    account.produce(QUEUES * EACH)
    since = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    time.sleep(0.01)  # Kafka's times are of a millisecond
    late = start("late", "start=latest")
    with Offsets(account.servers, group, account.topic, QUEUES) as offsets:
        late.tell("take 1")
        account.wait_until(lambda: min(offsets.latest.values()) == EACH)
    account.produce(QUEUES)
    young = start("young", f"start={since}", group=f"{group}-young")

    new = of_each(EACH)
    assert new == took(young, QUEUES)
    late.wait_for(" took ")


def test_at_the_latest_an_open_transaction_is_to_come(
    account: Account, start: Start, group: str
) -> None:
    """It is read when it is committed: the reader has not seen it before."""
    settings = {"bootstrap.servers": account.servers, "transactional.id": group}
    with closing(Producer(settings)) as producer:
        producer.init_transactions(PATIENCE_S)
        producer.begin_transaction()
        producer.produce(account.topic, value=b"open", partition=0)
        assert 0 == producer.flush(PATIENCE_S)
        late = start("late", "start=latest")
        with Offsets(account.servers, group, account.topic, QUEUES) as offsets:
            late.tell("take 1")
            account.wait_until(lambda: min(offsets.latest.values()) == 0)
        producer.commit_transaction(PATIENCE_S)

    assert late.wait_for(" took ").endswith("took {0=[0]}")


def test_what_is_wrong_is_said(start: Start) -> None:
    """With the place, and what to do."""
    missing, away, nowhere = (
        start("missing", topic="none-of-these"),
        start("away", servers=NOBODY),
        start("nowhere", servers=NOWHERE),
    )
    for worker in (missing, away, nowhere):
        worker.tell("idle 20000")
    wrong = start("wrong", "enable.auto.commit=true")

    assert 1 == wrong.end()
    assert "enable.auto.commit: cannot be true: trimtab commits" in wrong.said.read_text()
    assert f'no host of "{NOWHERE}" is found' in nowhere.wait_for(" trouble ")
    assert f"Kafka at {NOBODY} does not answer" in away.wait_for(" trouble ")
    assert "no topic none-of-these on Kafka at" in missing.wait_for(" trouble ")


def test_a_consumer_that_is_killed_under_a_guard_is_succeeded_at_once(
    account: Account, start: Start, published: Published, group: str
) -> None:
    """Long before its session is over, and no message is lost; people have seen the guard."""
    victim, heir = start("victim", by=SUPERVISED), start("heir")
    for worker in (victim, heir):
        worker.tell(f"work {account.effects_file}")
    published.wait_until(lambda: published.has_heirs(group, {"victim", "heir"}, QUEUES))
    await_guard(victim.pid)
    people = published.groups[group].people
    assert {"victim": True, "heir": None} == {it.member: it.guarded for it in people}
    grants = sum(" granted " in line for line in heir.lines())
    killed = victim.kill_under_guard()
    began = int(heir.wait_for(" granted ", grants + 1).split()[0])
    published.wait_until(lambda: published.is_stable(group, {"heir"}, QUEUES))
    account.produce(QUEUES)
    account.wait_until(lambda: not account.lost)

    print(f"succeeded {(began - killed) / 1e6:.1f} ms after the kill")  # noqa: T201 - for `pytest -s`
    assert began - killed < AT_ONCE_NS
    assert {"released"} == published.endings(group)


def test_a_consumer_whose_guard_is_killed_goes_on(account: Account, start: Start) -> None:
    """It says so once, works on, and leaves in good order."""
    worker = start("a", by=SUPERVISED)
    account.produce(QUEUES)
    assert of_each(0) == took(worker, QUEUES)
    await_guard(worker.pid)
    worker.kill_guard()
    account.produce(QUEUES)

    assert of_each(1) == took(worker, QUEUES)
    told = worker.wait_for(" trouble ")
    assert told.endswith("the guard has ended: this member has no guard")
    assert 0 == worker.end()
    assert 1 == sum(
        "this member has no guard" in line for line in worker.lines() if " trouble " in line
    )


def test_a_consumer_tells_its_guard_what_it_holds_until_it_leaves(
    account: Account, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that it has; nothing any more when it has handed on; then it says farewell."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        listener.listen()
        monkeypatch.setenv(ADDRESS, str(tmp_path / "socket"))
        account.produce(QUEUES)
        worker = start("a")
        worker.tell(f"take {QUEUES}")
        listener.settimeout(PATIENCE_S)
        guard, _ = listener.accept()
        guard.sendall(line_of(Welcome(pid=1)))
        worker.wait_for(" took ")
        assert 0 == worker.end()
        with guard, guard.makefile("rb") as lines:
            post, *held, farewell = map(heard, lines)

    holdings = [it for it in held if isinstance(it, Holdings)]
    assert (held, Farewell()) == (holdings, farewell)
    assert isinstance(post, Post)
    assert QUEUES == max(len(it.queues) for it in holdings)
    assert () == holdings[-1].queues
