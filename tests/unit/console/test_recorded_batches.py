"""Where `trimtab replay` ends a batch, and in which order it reads."""

from itertools import permutations

from tests.builders.command_line import Run
from tests.builders.log import beat, join, leave, route
from tests.builders.recording import Recording, two_join


def a_minute() -> Recording:
    """A joins and is away before b comes; nobody says where batches end."""
    recording = Recording()
    recording.add("members", join("a"), 1_000)
    recording.add("routes", route(queues=2), 1_100)
    recording.add("heartbeats", beat("a"), 1_400)
    recording.add("members", leave("a"), 20_000)
    recording.add("members", join("b"), 60_000)
    return recording


def test_a_recording_without_batches_is_cut_by_the_time_of_the_log(run: Run) -> None:
    """As often as a controller would, or as one is told to: else a minute is but one moment."""
    name = a_minute().write()

    _, told, _ = run("replay", name)
    assert ["batch 0 (2 records)", "batch 2 (1 records)", "batch 3 (1 records)"] == [
        line.partition(",")[0] for line in told.splitlines() if line.startswith("batch")
    ]
    assert "a left" in told
    assert 1 == run("replay", name, "--every", "60000")[1].count("batch")


def test_files_without_batches_are_merged_by_time(run: Run) -> None:
    """Whichever is named first: a file for each topic is one recording."""
    recording = a_minute()
    whole = run("replay", recording.write())
    for number in range(3):
        part = Recording()
        part.lines = recording.lines[number::3]
        part.write(f"{number}.jsonl")

    for names in permutations(["0.jsonl", "1.jsonl", "2.jsonl"]):
        assert whole == run("replay", *names)


def test_a_clock_that_jumps_back_does_not_change_the_order_of_a_partition(run: Run) -> None:
    """Its records are read by their offsets, as they are by the controller."""
    recording = Recording()
    recording.add("members", join("a"), 5_000)
    recording.add("members", leave("a"), 1_000)
    recording.lines.reverse()
    _, told, _ = run("replay", recording.write())

    assert told.index("a joined") < told.index("a left")


def test_where_batches_are_recorded_nothing_else_ends_one(run: Run) -> None:
    """Cut otherwise, other bytes may come out than did; so whoever asks for that is refused."""
    recording = Recording()
    recording.add("members", join("a"), 1_000)
    recording.add("routes", route(queues=2), 9_000)
    name = two_join(recording).write()

    assert ["batch 0 (4 records)", "batch 1 (1 records)"] == [
        line.partition(",")[0]
        for line in run("replay", name)[1].splitlines()
        if line.startswith("batch")
    ]
    code, out, err = run("replay", name, "--every", "60000")
    assert (2, "") == (code, out)
    assert err.startswith("trimtab: --every: the recording has lines between batches")


def test_nothing_to_replay_is_no_success(run: Run) -> None:
    """As for `check`: an empty file, or a wrong prefix, tells nothing of what was decided."""
    code, out, err = run("replay", Recording().write())

    assert (4, "", "nothing was replayed: no record that a controller hears could be read\n") == (
        *(code, out, err),
    )


def test_files_with_batches_are_read_one_after_the_other(run: Run) -> None:
    """As they are named; a batch goes on in the next file if that does not begin with a line."""
    recording = two_join()
    whole = run("replay", recording.write())
    for name, lines in (("early", recording.lines[:1]), ("late", recording.lines[1:])):
        part = Recording()
        part.lines = lines
        part.write(name)

    assert whole == run("replay", "early", "late")
    assert whole != run("replay", "late", "early")
