"""Following: members that read the releases in order, each at its own pace, from its birth on.

What they read tells them which lives there are, so that a release may name one. Here a life keeps
what it has read; elsewhere it may hear of any release at any time, and no release names a life.

Used by ``worlds``. Its one rule: nobody reads what was written before its own mark.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tests.laws.views import Mark, Release, View

if TYPE_CHECKING:
    from tests.laws.worlds import World


def written(world: "World", said: Iterable[Release | Mark]) -> "World":
    """Return the world after releases and marks were written, one after another."""
    for record in said:
        views = tuple(_with(world, view, record) for view in world.views)
        if isinstance(record, Mark):
            log = world.log if record.gone else (*world.log, record)
            world = world._replace(views=views, log=log)
        elif record.grant in world.released:
            world = world._replace(views=views)
        else:
            released = world.released | {record.grant}
            world = world._replace(views=views, log=(*world.log, record), released=released)
    return world


def begun(world: "World", place: int) -> "World":
    """Return the world in which a life reads from here on, and has shown its mark."""
    view = world.views[place]._replace(missed=world.released)
    views = (*world.views[:place], view, *world.views[place + 1 :])
    return written(world._replace(views=views), [Mark(view.me, view.life)])


def _with(world: "World", view: View, record: Release | Mark) -> View:
    """Return what a life has to read then; what tells it nothing new is left out."""
    is_own = (record.member, record.life) == (view.me, view.life)
    if not view.alive or (is_own and (isinstance(record, Mark) or record.own)):
        return view
    if isinstance(record, Mark):
        return view if _is_known(view, record) else view._replace(ahead=(*view.ahead, record))
    if record.grant in view.missed:
        missed = view.missed - {record.grant}
        return view._replace(ahead=(*view.ahead, record), missed=missed)
    if record.grant not in world.released:
        return view._replace(ahead=(*view.ahead, record))
    gone = Mark(record.member, record.life, gone=True)
    if record.gone and not _is_known(view, gone):
        return view._replace(ahead=(*view.ahead, gone))
    return view


def _is_known(view: View, mark: Mark) -> bool:
    """Tell whether a life has read this of that life, or will."""
    for member, there, gone in view.lives:
        if member == mark.member and mark.life <= (gone if mark.gone else there):
            return True
    who = mark.member, mark.life
    if mark.gone:
        return any(each[:2] == who and each.gone for each in view.ahead)
    return mark in view.ahead
