"""Names: what a caller names has to be there, or it is said what there is.

Called by the commands that ask for one group, member, queue, broker or reason. Its one rule: an
empty answer is never given to a name that nothing has.
"""

from collections.abc import Collection, Iterable

from console.errors import ExitCode, Failure
from console.published import Published
from trimtab.protocol import GROUPS, Group, UndecodableRecord, read_group_key


def the_group(published: Published, name: str) -> Group:
    """Return a group's summary.

    Raises:
        Failure: There is no such group; the nearest names are said. Or its summary cannot be read.
    """
    try:
        read_group_key(name.encode())
    except UndecodableRecord as error:
        raise Failure(f"GROUP: {error.detail}", ExitCode.USAGE) from error
    found = published.groups(name).get(name)
    if found is not None:
        return found
    for it in published.unreadable:
        if (it.topic, it.key) == (GROUPS.name, name.encode()):
            reason = f"the summary of {name} cannot be read by this release ({it.why}): {it.place}"
            raise Failure(f"{reason}; use the controller's release of trimtab")
    raise Failure(unknown("group", name, published.groups()), ExitCode.NOT_FOUND)


def the_known(noun: str, name: str, known: Collection[str]) -> None:
    """Refuse a name that nothing has: an empty answer would say that it is well."""
    if name not in known:
        raise Failure(unknown(noun, name, known), ExitCode.NOT_FOUND)


def unknown(noun: str, name: str, known: Iterable[str], *, of: str = "") -> str:
    """Say that there is no such thing, of a group or at all, and what there is."""
    from difflib import get_close_matches

    from console.views.sentences import several

    names, whose = sorted(known), f" of {of}" if of else ""
    if not names:
        return f"there is no {noun} {name}{whose}; there is no {noun}{whose} at all yet"
    near = get_close_matches(name, names, n=3, cutoff=0.6)
    verb = "is" if len(near or names) == 1 else "are"
    return f"there is no {noun} {name}{whose}; there {verb} {', '.join(near) or several(names)}"
