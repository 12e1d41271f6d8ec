"""The route file: queues that this Kafka does not know, such as those of a RocketMQ cluster.

    orders:
      broker-a: 8
      broker-b: 8

A topic named here has these queues, whatever Kafka says. The file is read again when it changes; if
it cannot be read, this is reported, and what was read last stays true. One that was never read may
name any topic.

Read by ``sources``. Its one rule: all of the file is good, or none of it is taken.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from streaming.feeds.announcements import Seen
from trimtab.protocol import Route, RunRef
from trimtab.protocol.names import BrokerName, TopicName

_CONTENT = TypeAdapter[dict[TopicName, dict[BrokerName, int]]](
    dict[TopicName, dict[BrokerName, int]]
)


class UnreadableRoutes(Exception):  # noqa: N818 - it names what is at hand
    """The route file is not there or not as it must be."""


class _Loader(yaml.SafeLoader):
    """One that takes no key twice: YAML forbids that, and PyYAML drops the first."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:  # noqa: ANN401 - as it is there
        """Read a mapping."""
        found = super().compose_mapping_node(anchor)
        names = set[str]()
        for key in (it for it, _ in found.value if isinstance(it, yaml.ScalarNode)):
            if key.value in names:
                said = f'"{key.value}" is there twice'
                raise yaml.composer.ComposerError(problem=said, problem_mark=key.start_mark)
            names.add(key.value)
        return found


class RouteFile:
    """A file of routes, or none."""

    def __init__(self, path: Path | None) -> None:
        self.last: Mapping[str, Seen] = {}
        """What it said when it could last be read."""
        self._path = path
        self._stamp: object = None

    @property
    def is_unread(self) -> bool:
        """Whether there is a file, and nobody knows yet what it says."""
        return self._path is not None and self._stamp is None

    def routes(self) -> Mapping[str, Seen]:
        """Return what the file says now.

        Raises:
            UnreadableRoutes: It says nothing that could be understood.
        """
        if self._path is None:
            return self.last
        try:
            about = self._path.stat()
            stamp = (about.st_mtime_ns, about.st_size, about.st_ino)
            if stamp != self._stamp:
                self.last = parse(self._path.read_text(encoding="utf-8"))
                self._stamp = stamp
        except OSError as error:
            raise UnreadableRoutes(f"{self._path}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise UnreadableRoutes(f"{self._path}: not UTF-8: {error.reason}") from error
        except UnreadableRoutes as error:
            raise UnreadableRoutes(f"{self._path}: {error}") from error
        return self.last


def parse(text: str) -> dict[str, Seen]:
    """Read the content of a route file.

    Raises:
        UnreadableRoutes: It is not YAML, or not topic -> broker -> number of queues.
    """
    try:
        content = _CONTENT.validate_python(yaml.load(text, _Loader) or {})  # noqa: S506 - a SafeLoader
        return {topic: _seen(topic, brokers) for topic, brokers in content.items()}
    except yaml.YAMLError as error:
        raise UnreadableRoutes(f"not YAML: {error}") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise UnreadableRoutes(f"{place}: {first['msg']}") from error
    except (ValueError, LookupError, AttributeError, RecursionError) as error:  # of its own tags
        raise UnreadableRoutes(f"not YAML: {error}") from error


def _seen(topic: str, brokers: Mapping[str, int]) -> Seen:
    """Check the runs as the wire will: what no record could say must not come so far."""
    runs = tuple(RunRef(broker, 0, queues) for broker, queues in sorted(brokers.items()) if queues)
    return Seen(Route(topic=topic, version=0, exists=True, runs=runs).runs)
