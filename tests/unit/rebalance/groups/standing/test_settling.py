"""Standing heirs of small groups, by hand."""

from collections.abc import Mapping

import pytest

from rebalance.allocation import Applicant
from tests.unit.rebalance.groups.standing.groups import dealt, member, told

T = member("t")
TU = member("tu")
U = member("u")


@pytest.mark.parametrize(
    ("candidates", "owners", "were", "heirs"),
    [
        pytest.param({"a": T}, {"a": "t0"}, {}, {}, id="never the owner itself"),
        pytest.param({"a": T, "b": U}, {"a": "t0"}, {}, {}, id="it wants the topic"),
        pytest.param(
            {"a": T, "b": member("t", cap=1)},
            {"a": "t0 t1"},
            {},
            {"t0": "b"},
            id="as many as there is room for, the first ones",
        ),
        pytest.param(
            {"a": T, "b": T, "c": T},
            {"a": "t0 t1 t2 t3"},
            {},
            {"t0": "b", "t1": "c", "t2": "b", "t3": "c"},
            id="evenly",
        ),
        pytest.param(
            {"a": T, "b": T, "c": member("t", weight=3)},
            {"a": "t0 t1 t2 t3"},
            {},
            {"t0": "c", "t1": "c", "t2": "b", "t3": "c"},
            id="by weight",
        ),
        pytest.param(
            {"a": T, "b": T, "c": T},
            {"a": "t0", "b": "t1 t2 t3"},
            {"b": "t0", "a": "t1 t3", "c": "t2"},
            {"t0": "c", "t1": "a", "t2": "c", "t3": "a"},
            id="who would have more than one too many is replaced",
        ),
        pytest.param(
            {"a": T, "b": T, "c": T},
            {"a": "t0", "b": "t1"},
            {"b": "t0", "a": "t1"},
            {"t0": "b", "t1": "a"},
            id="who would have one too many stays",
        ),
        pytest.param(
            {"a": member("t", rack="e"), "b": member("t", rack="w"), "c": member("t", rack="e")},
            {"a": "t0"},
            {},
            {"t0": "c"},
            id="of the owner's rack, if there is one",
        ),
        pytest.param(
            {"a": TU, "b": member("tu", cap=1), "c": T},
            {"a": "t0 u0"},
            {"b": "t0"},
            {"t0": "c", "u0": "b"},
            id="one passes its queue on, so that another has an heir too",
        ),
        pytest.param(
            {"a": T, "b": U},
            {"a": "t0"},
            {"gone": "t0", "b": "t1"},
            {},
            id="who is gone is no heir, and of a queue that is gone nobody is",
        ),
        pytest.param(
            {"b": T}, {"gone": "t0"}, {}, {"t0": "b"}, id="the owner need not be of the candidates"
        ),
    ],
)
def test_heirs(
    candidates: Mapping[str, Applicant],
    owners: Mapping[str, str],
    were: Mapping[str, str],
    heirs: Mapping[str, str],
) -> None:
    """Who stands heir to what."""
    assert heirs == told(dealt(candidates, owners, were).standing.heirs())


def test_more_racks_than_tell_anything_count_for_nothing() -> None:
    """A host for each member: else each is a kind of its own, and looked at for each queue."""
    names = [f"m{number:02}" for number in range(70)]
    owners = {name: f"t{2 * place} t{2 * place + 1}" for place, name in enumerate(names)}
    apart = dealt({name: member("t", rack=f"host-{name}") for name in names}, owners)
    alike = dealt(dict.fromkeys(names, T), owners)

    assert told(alike.changes) == told(apart.changes)
    assert 140 == len(apart.changes)
