"""The strategies, by name: the vocabulary of this folder."""

from allocators.options import BadOption
from allocators.registry import ALLOCATORS, allocator

__all__ = ["ALLOCATORS", "BadOption", "allocator"]
