"""A user's own strategy, ``module:factory``: how it is loaded, and how it is asked.

Whatever it does, it does to copies. It is asked with plain dictionaries of its own, which it may
write into, keep, copy or send elsewhere, and which are the same whether the state is in memory or
was just stored. Of its answer only owners and reasons are taken, once more as copies: what a plan
says of itself (``changed``, ``heeds_capacity``) is believed of ours alone, and one of ours that was
asked inside said it of another answer.

Called by the registry. Its one rule: nothing that it was given or has returned is read later.
"""

from collections.abc import Mapping
from importlib import import_module

from allocators.options import BadOption
from rebalance.allocation import AllocationPlan, AllocationRequest, Allocator
from rebalance.realms import Apart, wanting_each


def users_own(name: str, options: Mapping[str, object]) -> Allocator:
    """Return the strategy that a factory of the user's makes; ``KeyError`` says that none does."""
    module, _, attribute = name.partition(":")
    try:
        factory = getattr(import_module(module), attribute)
    except Exception as error:  # what a user's own module does is not known
        reason = f"{type(error).__name__}: {error}"
        raise KeyError(f"strategy {name!r} cannot be loaded: {reason}") from error
    try:
        strategy = factory(**options) if callable(factory) else None
    except Exception as error:  # nor what its factory does
        raise BadOption(f"{name}: {type(error).__name__}: {error}") from error
    if not callable(strategy):
        raise BadOption(f"{name} must be a function that returns a strategy")
    if isinstance(strategy, Apart):  # it returned one of ours that keeps some queues apart
        split = strategy.split
        return Apart(_by_copies(strategy), lambda request: split(_copied(request)))
    return _by_copies(strategy)


def _by_copies(strategy: Allocator) -> Allocator:
    def allocate(request: AllocationRequest) -> AllocationPlan:
        plan = strategy(_copied(request))
        return AllocationPlan(dict(plan.owners), dict(plan.unassigned), refusal=plan.refusal)

    return allocate


def _copied(request: AllocationRequest) -> AllocationRequest:
    """Return the question in plain dictionaries, in the order of names."""
    return AllocationRequest(
        dict(sorted(wanting_each(request.candidates, lambda _, one: one.topics).items())),
        dict(sorted(request.queues.items())),
        dict(sorted(request.current.items())),
        dict(sorted(request.racks.items())),
    )
