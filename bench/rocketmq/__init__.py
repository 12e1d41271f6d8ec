"""The bench of RocketMQ's consumers: hand-overs with one line of ours in them, and without it.

Both sides use the same client jar, in processes of their own, on two brokers and one name server.
"""
