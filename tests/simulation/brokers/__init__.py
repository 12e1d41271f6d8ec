"""The jury among brokers that fail and reporters that lie: a seeded simulation beside the group's.

Seeds make *worlds*: brokers in good and bad hours, reporters of every kind, a log that loses,
repeats and delays what they say, and the real cell fold with its codec, cut anywhere and crashed at
will. ``judges`` judges what was published, by the truth that only the world knows. Read in this
order: ``plan``, ``brokers``, ``reporters``, ``controller``, ``judges``, ``world``.
"""
