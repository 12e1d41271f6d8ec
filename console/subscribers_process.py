"""Asks Kafka who has joined its own groups; a process that may end by the asking.

When `describe_consumer_groups` is not answered in time, librdkafka 2.16 ends the process
(`rd_kafka_enq_once_del_source_return`); with `list_consumer_group_offsets` one has ended while a
coordinator started. So it runs beside the one that wants to know.

Run only by ``console.subscribers``, as a file. Standard input is the client's options on one line,
then the groups' names, or the one whose commits are asked for as well; standard output is how each
group is and who is in it, or why not.
"""

import json
import sys
from typing import Any

from confluent_kafka import ConsumerGroupState, ConsumerGroupTopicPartitions, KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but only for Python
    AdminClient,
    ConsumerGroupDescription,
)

from console.met import Met

ASK_S = 5.0
FAILED = 3
"""How it ends if Kafka has not told; with any other but 0 and the next, it was ended."""
REFUSED = 4
"""How it ends if there is no such option, or no client with these."""
_WITHOUT_MEMBERS = {ConsumerGroupState.EMPTY, ConsumerGroupState.DEAD}


def ask(client: AdminClient, names: list[str]) -> dict[str, dict[str, Any]]:
    """Return how each of these groups is, and its members; of many, only those that have any."""
    wanted = names
    if len(names) > 1:  # most are none of Kafka's
        there = client.list_consumer_groups(request_timeout=ASK_S).result()
        for error in there.errors:  # of a broker that has not said which groups it has
            raise KafkaException(error)
        living = {it.group_id for it in there.valid if it.state not in _WITHOUT_MEMBERS}
        wanted = [it for it in names if it in living]
    asked = client.describe_consumer_groups(wanted, request_timeout=ASK_S) if wanted else {}
    return {name: _told(future.result()) for name, future in asked.items()}


def committed(client: AdminClient, name: str) -> list[tuple[str, int, int, str]]:
    """Return what a group has committed: topic, partition, offset, and what was said with it."""
    from trimtab.consuming.confluent import metadata_of  # loads for long

    asked = [ConsumerGroupTopicPartitions(name)]
    answer = client.list_consumer_group_offsets(asked, request_timeout=ASK_S)[name].result()
    places = answer.topic_partitions or []
    return [(it.topic, it.partition, it.offset, metadata_of(it)) for it in places]


def _told(group: ConsumerGroupDescription) -> dict[str, Any]:
    return {
        "is_steady": group.state == ConsumerGroupState.STABLE,
        "members": [
            [
                it.client_id,
                it.host,
                [[place.topic, place.partition] for place in it.assignment.topic_partitions],
            ]
            for it in group.members
        ],
    }


def main() -> int:
    """Answer one question."""
    met = Met()
    options: dict[str, Any] = {**json.loads(sys.stdin.readline()), "error_cb": met}
    try:
        client = AdminClient(options)
    except KafkaException as error:
        sys.stdout.write(json.dumps(error.args[0].str()))
        return REFUSED
    asked = json.loads(sys.stdin.read())
    try:
        if isinstance(asked, str):
            found = ask(client, [asked])
            found[asked]["committed"] = committed(client, asked)
        else:
            found = ask(client, asked)
    except KafkaException as error:
        client.poll(0)  # so it hears
        sys.stdout.write(json.dumps([error.args[0].code(), met.beside(error.args[0])]))
        return FAILED
    sys.stdout.write(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
