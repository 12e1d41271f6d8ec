"""The Kafka that comes with trimtab: a real single-node broker for a first look and for tests.

``jars`` fetches what it runs from, ``broker`` starts and stops it, ``instance`` is what is known of
one in its directory. Used by ``trimtab kafka``, ``trimtab run``, the demo and the tests; never in
production, where ``kafka.bootstrap_servers`` names a cluster.
"""
