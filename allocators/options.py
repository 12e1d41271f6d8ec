"""What may be said about a strategy beside its name.

Options come from settings or from a scenario as plain JSON values. Each strategy takes the ones
it knows, by name and type; the caller finishes with ``nothing_left``, so that a misspelt option
is an error and never a silent default. RocketMQ's options keep RocketMQ's names.
"""

from collections.abc import Iterator, Mapping, Sequence

from rebalance.ids import BrokerName, Queue, TopicName


class BadOption(ValueError):  # noqa: N818 - it names what is wrong
    """An option is unknown or of the wrong kind."""


class Options:
    """The options of one strategy, taken one by one."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values
        self._taken: set[str] = set()

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def given(self, name: str) -> bool:
        """Say whether the option is there, and not null."""
        return self.raw(name) is not None

    def raw(self, name: str) -> object:
        """Take the option as it is; None when it is missing."""
        self._taken.add(name)
        return self._values.get(name)

    def integer(self, name: str) -> int | None:
        """Take a whole number."""
        value = self.raw(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise BadOption(f"{name} must be an integer")
        return value

    def text(self, name: str) -> str | None:
        """Take a string."""
        value = self.raw(name)
        if value is not None and not isinstance(value, str):
            raise BadOption(f"{name} must be a string")
        return value

    def texts(self, name: str) -> list[str] | None:
        """Take a list of strings."""
        values = self._sequence(name)
        if values is None:
            return None
        texts = [value for value in values if isinstance(value, str)]
        if len(texts) != len(values):
            raise BadOption(f"{name} must be a list of strings")
        return texts

    def table(self, name: str) -> dict[str, str]:
        """Take a table of strings; empty when it is missing."""
        values = self.raw(name)
        if values is None:
            return {}
        if not isinstance(values, Mapping):
            raise BadOption(f"{name} must be a table of strings")
        table = {
            key: value
            for key, value in values.items()
            if isinstance(key, str) and isinstance(value, str)
        }
        if len(table) != len(values):
            raise BadOption(f"{name} must be a table of strings")
        return table

    def inside(self, name: str) -> "Options":
        """Take a table of options."""
        values = self.raw(name)
        if not isinstance(values, Mapping):
            raise BadOption(f"{name} must be a table")
        return Options({str(key): value for key, value in values.items()})

    def queues(self, name: str) -> list[Queue] | None:
        """Take a list of queues, each ``[topic, broker, id]``."""
        values = self._sequence(name)
        return None if values is None else [queue_of(value, name) for value in values]

    def nothing_left(self, where: str = "") -> None:
        """Refuse options that were not asked for."""
        unknown = sorted(set(self._values) - self._taken)
        if unknown:
            raise BadOption(f"{where and f'{where}: '}unknown option {unknown[0]}")

    def _sequence(self, name: str) -> Sequence[object] | None:
        value = self.raw(name)
        if value is not None and not isinstance(value, list | tuple):
            raise BadOption(f"{name} must be a list")
        return value


def queue_of(value: object, name: str) -> Queue:
    """Read ``[topic, broker, id]``."""
    match value:
        case [str(topic), str(broker), int(number)] if not isinstance(number, bool):
            return Queue(TopicName(topic), BrokerName(broker), number)
        case _:
            raise BadOption(f"{name}: a queue must be [topic, broker, id]")
