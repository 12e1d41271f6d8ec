"""Clients and servers of a real RocketMQ that obey the controller."""
