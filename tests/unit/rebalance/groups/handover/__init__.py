"""How queues change hands."""
