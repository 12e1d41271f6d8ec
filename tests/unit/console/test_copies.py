"""What a repeated batch published again is passed over."""

from console.copies import without_copies

Entry = tuple[str, bytes | None, bytes | None]


def written(entry: Entry) -> tuple[bytes | None, bytes | None] | None:
    """Of the history all but its topic."""
    topic, key, value = entry
    return (key, value) if topic == "history" else None


def test_the_first_of_each_entry_stays_where_it_is() -> None:
    """A batch may be tried often, and get a little further each time."""
    first, second, third = [("history", b"billing", it) for it in (b"1", b"2", b"3")]
    told = [first, first, second, first, second, third]

    assert [first, second, third] == [*without_copies(told, written)]


def test_entries_of_two_groups_and_other_records_all_stay() -> None:
    """A beat, or a release, may be said twice."""
    entries: list[Entry] = [("history", b"billing", b"1"), ("history", b"orders", b"1")]
    others: list[Entry] = [("heartbeats", b"billing", b"1")] * 2

    assert [*entries, *others] == [*without_copies([*entries, *others], written)]
