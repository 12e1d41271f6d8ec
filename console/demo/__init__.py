"""`trimtab demo`: real members on a real Kafka, and a story of a minute that tests them.

``story`` says what happens and what must come of it, ``stage`` runs the processes, ``worker`` and
``producer`` are two of them. Every process keeps a ``journal`` of what it did; ``totals`` sums the
journals up (who owned what and when, what was processed twice or never), ``board`` is what the
controller has published. ``screen`` and ``summary`` show both; ``play`` runs it all.

The demo's figures come from what the processes did, not from what the controller says about them.
"""
