"""What tests of several folders are written with, so that they read as stories and tables.

``notation`` writes queues and pages of the books as short text, ``records`` makes events, ``group``
builds a state in any condition, ``story`` lets one unfold, ``sessions`` speaks to a member. Folders
of tests import from here and from themselves, never from each other.
"""
