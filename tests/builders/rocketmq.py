"""Heartbeats as RocketMQ's clients write them."""

import json
from typing import Any

CLIENT = "10.0.0.1@77#9"


def consumer(group: str = "g", *topics: str, **fields: object) -> dict[str, Any]:
    """What a heartbeat says of one group."""
    wanted = [{"topic": topic} for topic in topics or ("T",)]
    plain = {"groupName": group, "messageModel": "CLUSTERING", "subscriptionDataSet": wanted}
    return plain | fields


def heartbeat(*consumers: object, **fields: object) -> bytes:
    """A heartbeat of our client."""
    body = {"clientID": CLIENT, "consumerDataSet": consumers, "producerDataSet": []}
    return json.dumps(body | fields).encode()
