"""The hand-over beside Kafka's own: members that read real messages, on one broker, on one clock.

`make bench NAME=handover`.
"""
