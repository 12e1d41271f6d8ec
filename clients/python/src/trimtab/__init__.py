"""trimtab: members of consumer groups that share queues without a gap (the Python SDK)."""
