"""What one beat costs inside the state function, without Spark around it.

The floor says how much of an answer's time is trimtab's; this says where in trimtab it goes. All
in one process on prepared rows, so it takes seconds and needs no Java.
"""
