"""The sans-IO core of a member: a state machine, and the values that go in and come out."""

from trimtab.session.actions import (
    Action,
    Assigned,
    Ended,
    Ending,
    FindEnd,
    LossReason,
    Lost,
    Revoked,
    Send,
    Unheard,
)
from trimtab.session.grants import Grant
from trimtab.session.incarnation import incarnation
from trimtab.session.member_profile import Profile
from trimtab.session.session import MemberSession, Phase

__all__ = [
    "Action",
    "Assigned",
    "Ended",
    "Ending",
    "FindEnd",
    "Grant",
    "LossReason",
    "Lost",
    "MemberSession",
    "Phase",
    "Profile",
    "Revoked",
    "Send",
    "Unheard",
    "incarnation",
]
