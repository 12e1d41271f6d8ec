"""Version 1 of the state, as it was: read, never written.

It named each field as the brain did then. Its shapes stand here with the defaults they had, and
become forms of version 2 in the first batch that reads them. So nothing here follows the brain.
What was an array in both versions, and the same, is the form itself.

Its one rule: no shape in here changes.
"""
