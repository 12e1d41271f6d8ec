"""How many members one controller serves: it, or the floor, under the beats of very many.

One process makes all the beats, from columns that are prepared ahead. What the controller does is
read from outside: its checkpoint, Kafka's offsets and Linux, so both sides are measured alike.
"""
