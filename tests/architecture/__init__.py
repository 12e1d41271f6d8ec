"""The rules of the house, as tests: layers, sizes, purity, documents and settings.

Each test lists its offenders, one a line, so that a red test says what to change and where.
"""
