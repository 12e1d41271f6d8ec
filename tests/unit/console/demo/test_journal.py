"""Journals: what a process noted is read, whole lines only, each once."""

from pathlib import Path

from console.demo.journal import (
    AnyEntry,
    Died,
    JournalReader,
    JournalWriter,
    Processed,
    Produced,
    Started,
    Stopped,
    whole,
)

ENTRIES: list[AnyEntry] = [
    Started(1, "a", ((0, 7), (1, 7))),
    Processed(2, "a", 0, 40),
    Stopped(3, "a", (0,), "released"),
    Died(4, "a"),
    Produced(5, 0, 41),
]


def test_every_kind_of_entry_survives_the_file(tmp_path: Path) -> None:
    """What is written is what is read, in order."""
    with JournalWriter(tmp_path / "a.jsonl") as journal:
        for entry in ENTRIES:
            journal.note(entry)

    assert JournalReader(tmp_path).fresh() == ENTRIES


def test_a_reader_takes_each_entry_once(tmp_path: Path) -> None:
    """Following a file that grows gives what is new."""
    reader = JournalReader(tmp_path)
    with JournalWriter(tmp_path / "a.jsonl") as journal:
        journal.note(ENTRIES[0])
        assert reader.fresh() == ENTRIES[:1]
        assert reader.fresh() == []
        journal.note(ENTRIES[1])
        assert reader.fresh() == ENTRIES[1:2]


def test_a_line_without_its_end_waits(tmp_path: Path) -> None:
    """A line that is being written is read when it is whole."""
    path = tmp_path / "a.jsonl"
    with JournalWriter(path) as journal:
        journal.note(ENTRIES[0])
    line = path.read_bytes()
    reader = JournalReader(tmp_path)

    path.write_bytes(line + line[:10])
    assert reader.fresh() == ENTRIES[:1]
    path.write_bytes(line + line)
    assert reader.fresh() == ENTRIES[:1]


def test_a_death_comes_after_what_was_done_before_it(tmp_path: Path) -> None:
    """Another process notes it, in a journal that may be read first."""
    with JournalWriter(tmp_path / "a.jsonl") as first, JournalWriter(tmp_path / "b.jsonl") as last:
        last.note(ENTRIES[0])
        last.note(ENTRIES[1])
        first.note(ENTRIES[3])

    assert JournalReader(tmp_path).fresh() == [ENTRIES[0], ENTRIES[1], ENTRIES[3]]


def test_whole_journals_are_in_the_order_of_time(tmp_path: Path) -> None:
    """The verdict reads all journals as one."""
    with JournalWriter(tmp_path / "a.jsonl") as late, JournalWriter(tmp_path / "b.jsonl") as early:
        late.note(ENTRIES[2])
        late.note(ENTRIES[4])
        early.note(ENTRIES[0])
        early.note(ENTRIES[3])

    assert [entry.at for entry in whole(tmp_path)] == [1, 3, 4, 5]
