"""Routes that are written down in a file."""

import os
from pathlib import Path

import pytest

from streaming.feeds.announcements import Seen
from streaming.feeds.route_file import RouteFile, UnreadableRoutes, parse
from trimtab.protocol import RunRef


def test_a_file_names_brokers_and_their_queues() -> None:
    """Queues are numbered from 0 on each broker; a broker without queues has no run."""
    text = "orders: {broker-b: 2, broker-a: 8, broker-c: 0}\npayments: {}\n"
    runs = (RunRef("broker-a", 0, 8), RunRef("broker-b", 0, 2))

    assert {"orders": Seen(runs), "payments": Seen(())} == parse(text)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("orders: [", "not YAML"),
        ("2024-13-45", "not YAML"),
        ("orders: !!int ''", "not YAML"),
        ("orders: !!timestamp 'x'", "not YAML"),
        ("[" * 600, "not YAML"),
        ("orders: {a: 8}\nvisits: {a: 1}\norders: {b: 8}", r'"orders" is there twice\s.*line 3'),
        ("orders: {a: 8, b: 1, a: 2}", '"a" is there twice'),
        ("- orders", "dictionary"),
        ("orders: 8", r"orders: Input should be a valid dictionary"),
        ("orders: {broker-a: many}", r"orders\.broker-a"),
        ("orders: {broker-a: -1}", "greater than or equal to 1"),
        ("orders: {broker-a: 20000}", "less than or equal to"),
        ("'': {broker-a: 1}", "at least 1 character"),
    ],
)
def test_a_bad_file_says_where(text: str, complaint: str) -> None:
    """Nothing of a bad file is taken, and the message names the place."""
    with pytest.raises(UnreadableRoutes, match=complaint):
        parse(text)


def test_a_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    """A change is seen at the next look; a file that went bad leaves what was read last."""
    path = tmp_path / "routes.yaml"
    path.write_text("orders: {broker-a: 1}")
    file = RouteFile(path)
    assert {"orders": Seen((RunRef("broker-a", 0, 1),))} == file.routes()

    path.write_text("orders: {broker-a: 12}")
    os.utime(path, ns=(1, 1))
    assert {"orders": Seen((RunRef("broker-a", 0, 12),))} == file.routes()

    path.write_bytes("größe: {broker-a: 1}".encode("latin-1"))
    with pytest.raises(UnreadableRoutes, match="not UTF-8"):
        file.routes()

    path.unlink()
    with pytest.raises(UnreadableRoutes, match="No such file"):
        file.routes()
    assert {"orders": Seen((RunRef("broker-a", 0, 12),))} == file.last


def test_what_several_topics_share_may_be_written_once() -> None:
    """A key that is merged may be there once more: that is what merging is for."""
    text = "orders: &all {broker-a: 8}\nvisits: {<<: *all, broker-a: 2, broker-b: 1}\n"
    runs = (RunRef("broker-a", 0, 2), RunRef("broker-b", 0, 1))

    assert Seen(runs) == parse(text)["visits"]


def test_no_file_is_no_trouble() -> None:
    """Most controllers have none."""
    assert {} == RouteFile(None).routes()
