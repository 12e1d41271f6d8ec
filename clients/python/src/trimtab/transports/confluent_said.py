"""What librdkafka says, without the wrapping of its Python exception, which is for developers.

Used wherever such an error is told.
"""

from confluent_kafka import KafkaError


def said(error: Exception) -> str:
    """Return it as words."""
    cause = error.args[0] if error.args else error
    return cause.str() if isinstance(cause, KafkaError) else str(cause)
