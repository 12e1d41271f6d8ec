"""What the hook in RocketMQ's brokers costs requests that it has nothing to do with.

One command; the program that sends is in Java, as `make members` builds it.
"""
