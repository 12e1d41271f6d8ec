"""The lines between a member and its guard: what is written is read, and `docs/guard.md` is so."""

import json
import re
from pathlib import Path

import pytest

from tests.builders.checkout import text
from tests.builders.sessions import GROUP, MINE, queue
from trimtab import supervisor
from trimtab.guard_lines import (
    ADDRESS,
    Answer,
    Ended,
    Farewell,
    Heard,
    Listen,
    Post,
    Refused,
    Welcome,
    answer,
    heard,
    line_of,
)
from trimtab.holdings import Holdings
from trimtab.protocol import HolderRef

HELD = Holdings(
    member="m",
    incarnation=MINE,
    queues=(HolderRef(*queue(), 2, 5), HolderRef(*queue(1), 3), HolderRef("t", "b", 0, 4, None)),
)
POST = Post(servers="localhost:9092", group=GROUP, kafka={"security.protocol": "SSL"})
DOCUMENT = Path("docs/guard.md")


@pytest.mark.parametrize(
    "said",
    [POST, HELD, Farewell(), Listen(file=3, folder="there"), Ended(pid=7, last=True)],
    ids=lambda it: it.kind,
)
def test_what_a_guard_is_told_is_read(said: Heard) -> None:
    """One line each."""
    line = line_of(said)

    assert (said, len(line) - 1) == (heard(line), line.index(b"\n"))


@pytest.mark.parametrize("said", [Welcome(pid=7), Refused(reason="no")], ids=lambda it: it.kind)
def test_what_a_guard_says_is_read(said: Answer) -> None:
    """As above."""
    assert said == answer(line_of(said))


def test_the_queues_of_a_topic_stand_together() -> None:
    """As in an assignment."""
    queues = json.loads(line_of(HELD))["queues"]["queues"]

    assert [
        {"topic": "orders", "queues": [[0, 2, 5], [1, 3, None]]},
        {"topic": "t", "broker": "b", "queues": [[0, 4, None]]},
    ] == queues


def test_what_is_unknown_is_ignored() -> None:
    """A newer member may say more."""
    line = json.dumps({"kind": "post", "servers": "there", "group": GROUP, "new": 1}).encode()

    assert Post(servers="there", group=GROUP) == heard(line)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"kind": "post", "group": "g", "kafka": {"sasl.password": "secret"}}', "post.servers"),
        (
            b'{"kind": "hold", "member": "m", "incarnation": 1, "queues": {"queues": []}}',
            "hold.incarnation",
        ),
        (b'{"kind": "another"}', "Input tag"),
        (b"secret", "Invalid JSON"),
    ],
)
def test_what_cannot_be_read_is_named_and_not_repeated(line: bytes, reason: str) -> None:
    """A line may hold a password."""
    with pytest.raises(ValueError, match=reason) as refusal:
        heard(line)

    assert "secret" not in str(refusal.value)


def test_the_supervisor_speaks_the_same_language() -> None:
    """It imports nothing of ours, so it repeats the name."""
    assert ADDRESS == supervisor.ADDRESS


def test_the_document_shows_lines_that_can_be_read() -> None:
    """Each line of its examples."""
    lines = re.findall(r'^(?:→|←) (\{"kind".*\})$', text(DOCUMENT), flags=re.MULTILINE)
    kinds = {json.loads(it)["kind"] for it in lines}

    assert {"post", "welcome", "refused", "hold", "farewell"} == kinds
    for line in lines:
        read = answer if json.loads(line)["kind"] in {"welcome", "refused"} else heard
        assert json.loads(line).items() <= json.loads(line_of(read(line.encode()))).items()
