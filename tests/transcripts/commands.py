"""The commands of a transcript.

    policy strategy=STICKY session=30s on_twin=separate interval=5s     before anything else;
                                        standing_heirs=on: off unless said
    join a topics=orders,payments session=5s revocation=5s weight=2 instance=i eager broadcasting
                                        or shared
    join a patterns=orders-*,pay?       no topics then, unless they are given, too
    beat a epoch=2 owned=orders-0@1,orders-1@1      owned= is "nothing", no owned is "unchanged"
    register a topics=orders,payments   what a RocketMQ client says every 30 s; unregister a
    drain a
    leave a                             leave a temporarily
    release a orders-0@1 orders-1@1
    command pause                       pause, resume, drain a, evict a, rebalance, strategy AVG,
    command evict a id=c1 base=3        policy blast_percent=80, mode orders pop share=1, approve,
                                       forget; ids are made up unless they matter
    route orders queues=4 version=2 generation=x
                                       version is 1 unless given; queues=none: no such topic
    obey a b                            release what their records tell them to give
    wait 9s                             time goes by, with a tick each second
    away 1h                             time goes by, without any record
    unread release a orders-0@1         any record, written while the controller is not there
    backup                              copy the checkpoint
    lost; lost from=7                   start without a checkpoint; the log begins at the 7th record
    restored                            start with the copy
    books                               show who holds and inherits what

Members are written ``a``, and ``a:2`` in their second life.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from itertools import groupby
from typing import Any

from allocators import allocator
from rebalance.groups.model.commands import (
    Approve,
    ChooseMode,
    ChoosePolicy,
    ChooseStrategy,
    Command,
    DrainMember,
    EvictMember,
    Forget,
    Pause,
    RebalanceNow,
    Resume,
)
from rebalance.groups.model.events import Mode
from rebalance.groups.model.overrides import Overrides
from rebalance.groups.model.policy import STEPS_IN_A_SESSION, Compat, Policy, TwinRule
from rebalance.ids import InstanceId, MemberId, Millis, TopicName
from tests.builders.amnesia import Remembered
from tests.builders.records import (
    Record,
    beat_of,
    commanded,
    drained,
    joined,
    left,
    missing,
    registered,
    released,
    routed,
    unregistered,
    wild,
)
from tests.builders.story import Story
from tests.transcripts.rendering import lines

Options = dict[str, str]

UNITS_MS = {"": 1, "ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000}


def run(story: Remembered, commands: Iterable[str]) -> Iterator[str]:
    """Run one block; yield what it says."""
    for is_record, group in groupby(commands, key=lambda line: line.split()[0] in RECORDS):
        if is_record:
            story.reads(*map(_record, group))
            yield from _decided(story)
        else:
            for line in group:
                yield from _act(story, *line.split())


def _record(line: str) -> Record:
    verb, subject, *rest = line.split()
    options = dict(word.partition("=")[::2] for word in rest if "=" in word)
    words = [word for word in rest if "=" not in word]
    return RECORDS[verb](subject, words, options)


def _join(who: str, words: list[str], options: Options) -> Record:
    return joined(
        who,
        options.get("topics", "" if "patterns" in options else "orders").replace(",", " "),
        session_ms=_ms(options.get("session")),
        revocation_ms=_ms(options.get("revocation")),
        weight=int(options.get("weight", "1")),
        capacity=int(options["capacity"]) if "capacity" in options else None,
        mode=_mode(words),
        eager="eager" in words,
        instance=InstanceId(options["instance"]) if "instance" in options else None,
        patterns=wild(options.get("patterns", "").replace(",", " ")),
    )


def _register(who: str, words: list[str], options: Options) -> Record:
    return registered(who, options.get("topics", "orders").replace(",", " "), mode=_mode(words))


def _mode(words: list[str]) -> Mode:
    return next((mode for mode in Mode if mode in words), Mode.CLUSTERING)


def _beat(who: str, _: list[str], options: Options) -> Record:
    owned = options.get("owned")
    listed = None if owned is None else owned.replace(",", " ")
    return beat_of(who, epoch=int(options.get("epoch", "0")), owned=listed)


def _route(topic: str, _: list[str], options: Options) -> Record:
    version = int(options.get("version", "1"))
    if options["queues"] == "none":
        return missing(topic, version=version)
    generation = options.get("generation", "")
    return routed(topic, int(options["queues"]), version=version, generation=generation)


def _command(verb: str, words: list[str], options: Options) -> Record:
    base = options.get("base")
    command = VERBS[verb](words, options)
    return commanded(command, name=options.get("id"), base=None if base is None else int(base))


def _overrides(options: Options) -> Overrides:
    own = {name: value for name, value in options.items() if name in OWN}
    return Overrides(**{name: int(value) for name, value in own.items()})  # type: ignore[arg-type]  # numbers only


OWN = {field.name for field in fields(Overrides)}

VERBS: dict[str, Callable[[list[str], Options], Command]] = {
    "pause": lambda _words, _options: Pause(),
    "resume": lambda _words, _options: Resume(),
    "drain": lambda words, _options: DrainMember(MemberId(words[0])),
    "evict": lambda words, _options: EvictMember(MemberId(words[0])),
    "rebalance": lambda _words, _options: RebalanceNow(),
    "strategy": lambda words, _options: ChooseStrategy(words[0]),
    "policy": lambda _words, options: ChoosePolicy(_overrides(options)),
    "mode": lambda words, options: ChooseMode(
        TopicName(words[0]),
        words[1] == "pop",
        int(options["share"]) if "share" in options else None,
    ),
    "approve": lambda _words, _options: Approve(),
    "forget": lambda _words, _options: Forget(),
}

RECORDS: dict[str, Callable[[str, list[str], Options], Record]] = {
    "join": _join,
    "beat": _beat,
    "drain": lambda who, _words, _options: drained(who),
    "leave": lambda who, words, _options: left(who, temporary="temporarily" in words),
    "command": _command,
    "release": lambda who, words, _options: released(who, " ".join(words)),
    "route": _route,
    "register": _register,
    "unregister": lambda who, _words, _options: unregistered(who),
}


def _act(story: Remembered, verb: str, *words: str) -> Iterator[str]:
    match verb:
        case "policy":
            for word in words:
                name, _, wished = word.partition("=")
                story.policy = _policy(story.policy, name, wished)
                story.allocator = allocator(story.policy.strategy)
        case "obey":
            story.obeys(*words)
            yield from _decided(story)
        case "wait":
            end = story.wall + _number(words[0])
            while story.wall < end:
                story.waits(seconds=min(1_000, end - story.wall) / 1_000)
                yield from _decided(story)
        case "away":
            story.away(seconds=_number(words[0]) / 1_000)
        case "books":
            yield from (f"{queue}: {page}" for queue, page in story.pages().items())
        case _:
            yield from _start(story, verb, *words)


def _start(story: Remembered, verb: str, *words: str) -> Iterator[str]:
    match verb:
        case "unread":
            story.missed(_record(" ".join(words)))
        case "backup":
            story.backup = story.memory()
        case "lost" | "restored":
            kept = int(words[0].removeprefix("from=")) if words else 0
            story.forgets(story.backup if verb == "restored" else None, kept=kept)
            yield from _decided(story)
        case _:
            raise ValueError(f"no such command: {verb}")


POLICY: dict[str, Callable[[str], dict[str, Any]]] = {
    "session": lambda wished: {"session_timeout_ms": Millis(_number(wished))},
    "step": lambda wished: {
        "max_clock_step_ms": Millis(_number(wished)),
        "session_timeout_ms_min": Millis(STEPS_IN_A_SESSION * _number(wished)),
    },
    "revocation": lambda wished: {"revocation_timeout_ms": Millis(_number(wished))},
    "strategy": lambda wished: {"strategy": wished},
    "grace": lambda wished: {"eager_grace_ms": Millis(_number(wished))},
    "interval": lambda wished: {"assignment_interval_ms": Millis(_number(wished))},
    "members": lambda wished: {"max_members": _number(wished)},
    "queues": lambda wished: {"max_queues": _number(wished)},
    "share": lambda wished: {"share_number": _number(wished)},
    "standing_heirs": lambda wished: {"standing_heirs": {"on": True, "off": False}[wished]},
    "compat": lambda wished: {"compat": Compat(wished)},
    "on_twin": lambda wished: {"on_twin": TwinRule(wished)},
    "on_twin_instance": lambda wished: {"on_twin_instance": TwinRule(wished)},
}


def _policy(policy: Policy, name: str, wished: str) -> Policy:
    return replace(policy, **POLICY[name](wished))


def _decided(story: Story) -> Iterator[str]:
    """Write what the last batch decided, if anything."""
    decided = [line for decision in story.decided for line in lines(decision)]
    if decided:
        yield f"at {story.clock.now / 1_000:g} s"
        yield from (f"  {line}" for line in decided)


def _ms(text: str | None) -> int | None:
    return None if text is None else _number(text)


def _number(text: str) -> int:
    """Read a count, or a duration in milliseconds."""
    number = text.rstrip("hms")
    return int(number) * UNITS_MS[text[len(number) :]]
