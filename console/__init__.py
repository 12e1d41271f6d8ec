"""What people use: the ``trimtab`` command, its settings, and the Kafka that comes with it.

The top layer and the composition root: it reads settings, turns them into the frozen dataclasses
that the layers below define, and starts the streaming job. Nothing below imports it.
"""
