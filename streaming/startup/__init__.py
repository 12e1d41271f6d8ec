"""What a controller does before its query starts. ``streaming.start`` has the steps in order.

It looks at its checkpoint (``checkpoint``, ``terms``), and at what the topics have lost since
(``losses``). If another controller is at work it ends (``incumbent``), or is told to take over and
waits until no other one decides (``takeover``). It tells its cells by the log what is published
(``reminder``, ``reading``, ``published``, ``delivery``). A standby does nothing of it before its
turn: it follows (``standby``). Both hear by ``activity`` and ``silence`` whether another one is
active. From then on the younger of two controllers goes on (``supersession``).
"""
