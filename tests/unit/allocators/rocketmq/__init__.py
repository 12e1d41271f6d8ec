"""Beside allocators/rocketmq."""
