"""The command line, one module for each group of commands; ``console.main`` puts them together.

A command reads its options, loads the settings, calls the library beside it and prints. Its one
rule: nothing that takes long to import (Spark above all) is imported before it runs, so that
`--help` answers at once.
"""
