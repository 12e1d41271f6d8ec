"""The first brain: who is in a group, and who works on which queue.

``step`` folds the events of a batch, asks the strategy if something changed, and moves each queue
one step towards the target. ``model`` holds the values, ``members`` says who is in the group,
``handover`` passes queues on; the modules here use all three.
"""
