"""Benches: what trimtab costs, measured on real parts. `make bench NAME=floor` runs one.

Each bench is a package that ``python -m`` runs. It says on stderr what it is doing, prints a table
for people, and as its last line one JSON object with its headline figures. Nothing in production
imports from here.
"""
