"""RocketMQ's fault rules."""
