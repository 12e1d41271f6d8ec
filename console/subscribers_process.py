"""Asks Kafka who has joined its own groups; a process that may end by the asking.

When `describe_consumer_groups` is not answered in time, librdkafka 2.16 ends the process
(`rd_kafka_enq_once_del_source_return`). So it runs beside the one that wants to know.

Run only by ``console.subscribers``, as a file. Standard input is the client's options on one line,
then the groups' names; standard output is each group's clients and their hosts, or why not.
"""

import json
import sys

from confluent_kafka import ConsumerGroupState, KafkaException
from confluent_kafka.admin import AdminClient

ASK_S = 5.0
_WITHOUT_MEMBERS = {ConsumerGroupState.EMPTY, ConsumerGroupState.DEAD}


def ask(client: AdminClient, names: list[str]) -> dict[str, list[tuple[str, str]]]:
    """Return the members of each of these groups that has any."""
    wanted = names
    if len(names) > 1:  # most are none of Kafka's
        there = client.list_consumer_groups(request_timeout=ASK_S).result().valid
        living = {it.group_id for it in there if it.state not in _WITHOUT_MEMBERS}
        wanted = [it for it in names if it in living]
    asked = client.describe_consumer_groups(wanted, request_timeout=ASK_S) if wanted else {}
    found = {name: future.result().members for name, future in asked.items()}
    return {
        name: [(it.client_id, it.host) for it in members]
        for name, members in found.items()
        if members
    }


def main() -> int:
    """Answer one question."""
    client = AdminClient(json.loads(sys.stdin.readline()))
    try:
        found = ask(client, json.loads(sys.stdin.read()))
    except KafkaException as error:
        sys.stdout.write(error.args[0].str())
        return 1
    sys.stdout.write(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
