"""What a bad broker costs producers: alone, with RocketMQ's tables, and with the central verdict.

Three real brokers, of which one becomes slow, well again, hangs, and comes back, while the real
controller runs. Three kinds of producers send at the same time, so that whatever happens to one
happens to all: the plain client, trimtab's producer by its own table, and by the verdicts too.
"""
