"""Moving a group between Kafka's own protocol and trimtab, while it works.

While a group moves, each queue has two owners: Kafka's coordinator names one, trimtab's controller
the other. The last commit of a queue says on which side it is. Its owner on that side works on it;
the other one waits. When the other side is wanted, the owner that works finishes what
it has in hand, and commits the queue for the other side. There its owner reads that, and begins.

So a queue changes sides as it changes owners: one has stopped before the other begins, and what
both read is Kafka's. No controller is needed to move back.
`trimtab.MovingConsumer` is its face.
"""
