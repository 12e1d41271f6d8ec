"""One command to each member of a rack or an instance."""

from collections.abc import Sequence

import pytest

from console.errors import ExitCode
from console.operator_commands import PerhapsGiven
from tests.builders.command_line import Run
from tests.unit.console.planning.published_group import NAME, PublishedGroup, route
from tests.unit.console.planning.test_plan import drains
from tests.unit.console.views.published_records import cause
from trimtab.protocol import Command, CommandAnswer

OK, USAGE, REFUSED, NOT_FOUND, TIMEOUT, INTERRUPTED = 0, 2, 3, 4, 5, 130
WHY = ("--reason", "rack 7")
IN_R2 = ("--rack", "r2")


class Controller:
    """Hears commands, and answers all but those to some members."""

    def __init__(self) -> None:
        self.heard: list[Command] = []
        self.refuses: set[str] = set()
        self.ignores: set[str] = set()
        self.is_interrupted = False

    def give_all(
        self, _settings: object, name: str, commands: Sequence[Command], patience_s: float | None
    ) -> list[CommandAnswer | None]:
        """Stand in for Kafka and the controller."""
        self.heard += commands
        if self.is_interrupted:
            raise KeyboardInterrupt
        return [None if patience_s is None else self._answer(name, it) for it in commands]

    @property
    def told(self) -> list[tuple[str, str]]:
        """What whom was commanded."""
        return [(it.kind, getattr(it, "member", "")) for it in self.heard]

    def _answer(self, name: str, command: Command) -> CommandAnswer | None:
        member = getattr(command, "member", "")
        if member in self.ignores:
            return None
        is_done = member not in self.refuses
        return CommandAnswer(
            group=name,
            command=command.kind,
            id=command.id,
            principal=command.principal,
            reason=command.reason,
            outcome="done" if is_done else "refused",
            detail="" if is_done else "no other member works on orders",
            epoch=17 if is_done else None,
            at_ms=1,
            cause=cause("c", kind="command"),
        )


@pytest.fixture
def group(monkeypatch: pytest.MonkeyPatch) -> PublishedGroup:
    """Three members, two of them in rack r2; an instance is the name of one that restarts."""
    group = PublishedGroup()
    group.joins("a", rack="r1", instance="blue")
    group.hears(route("orders", 8))
    group.joins("b", rack="r2", instance="red")
    group.joins("c", rack="r2", instance="green")
    group.waits(2)
    monkeypatch.setenv("TRIMTAB_KAFKA__BOOTSTRAP_SERVERS", "nowhere:1")
    monkeypatch.setattr("console.published.messages", group.messages)
    return group


@pytest.fixture
def other_end(monkeypatch: pytest.MonkeyPatch) -> Controller:
    """One that is heard."""
    controller = Controller()
    monkeypatch.setattr("console.operator_commands.give_all", controller.give_all)
    return controller


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize(
    ("place", "members"),
    [(IN_R2, ["b", "c"]), (("--instance", "blue"), ["a"])],
)
@pytest.mark.parametrize("verb", ["drain", "undrain", "evict"])
def test_each_member_of_a_place_gets_the_command(
    run: Run, other_end: Controller, verb: str, place: tuple[str, ...], members: list[str]
) -> None:
    """As they said when they joined; each answer is listed."""
    code, out, _ = run("groups", verb, NAME, *place, *WHY)

    assert OK == code
    assert [(verb, it) for it in members] == other_end.told
    assert [f"done: {verb} {it} of {NAME} at epoch 17" for it in members] == [
        line for line in out.splitlines() if line.startswith("done")
    ]


def test_what_undoes_it_leaves_alone_what_was_so_before(
    run: Run, other_end: Controller, group: PublishedGroup
) -> None:
    """A member that an earlier command drained stays drained."""
    group.joins("node-1-b", rack="r2")
    drains(group)
    _, out, _ = run("groups", "drain", NAME, *IN_R2, *WHY)

    assert ["b", "c", "node-1-b"] == [member for _, member in other_end.told]
    assert [f'undo: trimtab groups undrain {NAME} {it} --reason "as before"' for it in "bc"] == [
        line for line in out.splitlines() if line.startswith("undo")
    ]


@pytest.mark.usefixtures("group", "other_end")
@pytest.mark.parametrize("whom", [("b",), ("--rack", "r2")])
def test_what_undoes_it_is_typed_with_the_same_settings(run: Run, whom: tuple[str, ...]) -> None:
    """Or it would go to another Kafka, or to none."""
    where = ("--set", "kafka.bootstrap_servers=there:1")
    _, out, _ = run("groups", "drain", NAME, *whom, *WHY, *where)

    undo = f'undo: trimtab groups undrain {" ".join(where)} {NAME} b --reason "as before"'
    assert undo in out.splitlines()


@pytest.mark.usefixtures("group")
def test_the_worst_answer_is_the_exit_code(run: Run, other_end: Controller) -> None:
    """A refusal before silence; what is done is said to be done all the same."""
    other_end.ignores = {"c"}
    code, out, _ = run("groups", "drain", NAME, *IN_R2, *WHY)
    assert (TIMEOUT, True) == (code, "unanswered: drain c of billing: no answer within" in out)

    other_end.refuses = {"b"}
    code, out, _ = run("groups", "drain", NAME, *IN_R2, *WHY)
    assert (REFUSED, True) == (code, "refused: drain b of billing: no other member works on" in out)
    undo = 'undo: trimtab groups undrain {} {} --reason "as before"'
    assert undo.format(NAME, "c") == out.splitlines()[-1], "it may be obeyed later"
    assert undo.format(NAME, "b") not in out

    code, out, _ = run("groups", "drain", NAME, *IN_R2, *WHY, "--no-wait")
    assert (OK, 2, 2) == (code, out.count("sent: drain "), out.count("undo: "))


@pytest.mark.usefixtures("group")
def test_what_may_be_written_is_said_though_kafka_has_not_answered(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each member with its id and what takes it back: whoever tries again should know."""

    def silent(*_: object) -> None:
        raise PerhapsGiven("no answer", ExitCode.TIMEOUT)

    monkeypatch.setattr("console.operator_commands.give_all", silent)
    for whom in (IN_R2, ("b",)):
        code, _, err = run("groups", "drain", NAME, *whom, *WHY)

        assert (TIMEOUT, True) == (code, "drain b of billing (" in err)
        assert f'undo: trimtab groups undrain {NAME} b --reason "as before"' in err


@pytest.mark.usefixtures("group")
def test_who_waits_no_longer_is_told_what_may_still_be_obeyed(
    run: Run, other_end: Controller
) -> None:
    """Ctrl-C ends the waiting, and takes nothing back."""
    other_end.is_interrupted = True
    code, out, err = run("groups", "drain", NAME, *IN_R2, *WHY)
    assert (INTERRUPTED, "") == (code, out)
    given = zip(other_end.told, other_end.heard, strict=True)
    assert [f"trimtab: drain {who} of {NAME} ({it.id})" for (_, who), it in given] == [
        *err.splitlines()[1:3]
    ]
    undo = 'trimtab: undo: trimtab groups undrain {} {} --reason "as before"'
    assert [undo.format(NAME, who) for _, who in other_end.told] == [*err.splitlines()[3:]]

    code, out, err = run("groups", "drain", NAME, "b", *WHY)
    told = [line.removeprefix("trimtab: ") for line in err.splitlines()]
    assert (INTERRUPTED, "", 3) == (code, out, len(told))
    assert "may be written already, and is obeyed then" in told[0]
    assert f'undo: trimtab groups undrain {NAME} b --reason "as before"' == told[2]


def test_a_member_of_which_the_place_is_not_known_is_named(
    run: Run, other_end: Controller, group: PublishedGroup
) -> None:
    """Joins are kept for a week: it may be of the rack, and it gets no command."""
    group.topics["trimtab.members"] = group.topics["trimtab.members"][:2]
    code, out, _ = run("groups", "drain", NAME, *IN_R2, *WHY)

    assert (OK, [("drain", "b")]) == (code, other_end.told)
    assert "left out, for nobody knows their rack: c" in out


@pytest.mark.usefixtures("group")
def test_a_dry_run_asks_for_all_of_them_at_once(run: Run, other_end: Controller) -> None:
    """The brain says where all queues of the rack would go; no command is given."""
    code, out, _ = run("groups", "drain", NAME, *IN_R2, *WHY, "--dry-run")

    assert (OK, []) == (code, other_end.told)
    assert "change: drain b\nchange: drain c" in out


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (("--rack", "r9"), NOT_FOUND, "no member of billing is of rack r9; there is r1, r2"),
        (
            ("--instance", "white"),
            NOT_FOUND,
            "no member of billing is of instance white; there is ",
        ),
        ((), USAGE, "give one of MEMBER, --rack and --instance"),
        (("a", *IN_R2), USAGE, "give one of MEMBER, --rack and --instance"),
        ((*IN_R2, "--base-epoch", "3"), USAGE, "--base-epoch: the first of several commands"),
    ],
)
def test_a_place_that_cannot_be_meant_is_refused(
    run: Run, other_end: Controller, arguments: tuple[str, ...], code: int, text: str
) -> None:
    """One line, and no command is given."""
    ended, out, err = run("groups", "drain", NAME, *arguments, *WHY)

    assert (code, "", []) == (ended, out, other_end.told)
    assert err.startswith(f"trimtab: {text}")


@pytest.mark.usefixtures("other_end")
@pytest.mark.parametrize(
    "command", ["plan {} --drain {}", "groups drain {} {}", "groups drain {} --rack r2"]
)
@pytest.mark.parametrize("how", ["", "--dry-run", "--no-wait"])
def test_a_name_turns_no_line(run: Run, group: PublishedGroup, command: str, how: str) -> None:
    """What follows on the line would read backwards: a member may be called anything."""
    name = "w\u202e1"
    group.joins(name, rack="r2")
    words = command.format(NAME, name).split()
    code, out, _ = run(*words, *(() if words[0] == "plan" else (*WHY, *how.split())))

    assert OK == code
    assert r"w\u202e1" in out
    assert out.replace("\n", "").isprintable()
