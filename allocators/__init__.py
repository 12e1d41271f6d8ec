"""The strategies, by name: the vocabulary of this folder."""

from allocators.options import BadOption
from allocators.registry import ALLOCATORS, DEFAULT, allocator, shipped

__all__ = ["ALLOCATORS", "DEFAULT", "BadOption", "allocator", "shipped"]
