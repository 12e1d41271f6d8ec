"""The bench of standbys: how long nobody decides when the active controller is killed.

Two controllers, as `trimtab run --standby` starts them, on a broker of their own. The active one is
killed, again and again; the other one is at work when it has committed a batch.
"""
