"""Bad input is refused with the person and the field, and without anybody's answer."""

from __future__ import annotations

import math
from typing import Any

import pytest

from entrenous import access
from entrenous.errors import ArgumentError, InputError

GOOD: dict[str, Any] = {
    "wishes": {
        "ann": {"friends": 5, "friends-of-friends": 3, "public": 1},
        "bob": {"friends": 4, "friends-of-friends": 3, "public": 0},
    },
    "peers": {"ann": {"bob": 0.5}},
}


def broken(*path: str, value: Any) -> dict[str, Any]:
    """Return the good entry with one place changed."""

    def copy(entry: Any) -> Any:
        return {key: copy(part) for key, part in entry.items()} if isinstance(entry, dict) else entry

    entry = copy(GOOD)
    place = entry
    for name in path[:-1]:
        place = place.setdefault(name, {})
    place[path[-1]] = value
    return entry


BAD = {
    "negative weight": (("peers", "ann", "bob"), -0.1, "peers.ann.bob: .* negative"),
    "weight above 1": (("peers", "ann", "bob"), 1.5, "peers.ann.bob: expected a number from 0 to 1"),
    "weight not a number": (("peers", "ann", "bob"), math.nan, "peers.ann.bob: .* no finite number"),
    "weight as text": (("peers", "ann", "bob"), "0.5", "peers.ann.bob: .* text"),
    "weight true": (("peers", "ann", "bob"), True, "peers.ann.bob: .* true or false"),
    "self weight": (("peers", "ann", "ann"), 0.5, "peers.ann.ann: expected no weight .* own"),
    "unknown friend": (("peers", "ann", "zoe"), 0.5, "peers.ann.zoe: expected one of the 2 people"),
    "unknown listener": (("peers", "zoe"), {"ann": 0.5}, "peers.zoe: expected one of the 2 people"),
    "peers no table": (("peers",), [1], "peers: expected a table; got a list"),
    "row no table": (("peers", "ann"), 0.5, "peers.ann: expected a table"),
    "score above 5": (
        ("wishes", "bob", "public"),
        6,
        "wishes.bob.public: expected a whole number from 0 to 5",
    ),
    "score negative": (("wishes", "bob", "public"), -1, "wishes.bob.public: .* negative"),
    "score between": (("wishes", "bob", "public"), 2.5, "wishes.bob.public: .* fraction"),
    "score not a number": (("wishes", "bob", "public"), math.nan, "wishes.bob.public: .* no finite number"),
    "score infinite": (("wishes", "bob", "public"), math.inf, "wishes.bob.public: .* no finite number"),
    "score huge": (("wishes", "bob", "public"), 10**400, "wishes.bob.public: expected a whole number"),
    "score missing": (
        ("wishes", "bob"),
        {"friends": 3, "public": 1},
        "wishes.bob.friends-of-friends: .* got none",
    ),
    "score null": (("wishes", "bob", "public"), None, "wishes.bob.public: .* nothing"),
    "score rising": (("wishes", "bob", "public"), 5, "wishes.bob.public: expected no higher score"),
    "unknown choice": (("wishes", "bob", "enemies"), 1, "wishes.bob.enemies: no such choice"),
    "wish no table": (("wishes", "bob"), 3, "wishes.bob: expected a table"),
    "nobody": (("wishes",), {}, "wishes: expected at least one co-owner; got none"),
    "name empty": (("wishes", ""), {}, "wishes: expected names as keys"),
    "name a number": (("wishes",), {7: {}}, "wishes: expected names as keys; got a number"),
    "unknown limit": (("limits", "ann"), "planet", "limits.ann: expected one of private"),
    "limit of a stranger": (("limits", "zoe"), "friends", "limits.zoe: expected one of the 2 people"),
    "method": (("method",), "dictator", "method: expected one of circles, oc, oo"),
    "mode": (("mode",), "loose", "mode: expected one of cap, strict"),
    "anchor": (("anchor",), "nobody", "anchor: expected one of"),
    "originator": (("originator",), "zoe", "originator: expected one of the 2 people"),
    "monotone": (("monotone",), "yes", "monotone: expected true or false"),
    "vote": (("vote",), "all", "vote: expected a table"),
    "vote rule": (("vote", "rule"), "lottery", "vote.rule: expected consensus or "),
    "theta missing": (("vote", "rule"), "majority", "vote: expected exactly rule and theta"),
    "theta half": (("vote",), {"rule": "majority", "theta": 0.5}, "vote.theta: expected a number above 0.5"),
    "theta not a number": (("vote",), {"rule": "majority", "theta": math.nan}, "vote.theta"),
    "one choice": (("choices",), ["private"], "choices: expected 2 or more"),
    "choice twice": (("choices",), ["private", "private"], "choices: expected names, each once"),
    "choices without order": (("choices",), {"private", "friends"}, "choices: expected a list .* order"),
    "choices text": (("choices",), "private", "choices: expected a list"),
    "unknown field": (("weights",), {}, "weights: no such field"),
    "circles elsewhere": (("circles", "ann"), ["Family"], "circles: expected only with method"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_names_person_and_field(name: str) -> None:
    path, value, message = BAD[name]
    with pytest.raises(ArgumentError, match=message):
        access.Item.from_dict(broken(*path, value=value))


@pytest.mark.parametrize(
    "name", [name for name, (path, _, _) in BAD.items() if path[0] in ("wishes", "peers")]
)
def test_no_message_tells_an_answer(name: str) -> None:
    path, value, _ = BAD[name]
    with pytest.raises(InputError) as caught:
        access.Item.from_dict(broken(*path, value=value))
    got = str(caught.value).partition("; got")[2]
    assert not any(character.isdigit() for character in got)


def test_what_is_no_table_at_all() -> None:
    for entry in (None, [], "item", 3):
        with pytest.raises(ArgumentError, match="item: expected a table"):
            access.Item.from_dict(entry)
    with pytest.raises(ArgumentError, match="wishes: expected a table"):
        access.Item.from_dict({})


def test_the_good_entry_reads_and_round_trips() -> None:
    item = access.Item.from_dict(GOOD)
    assert access.Item.from_dict(item.to_dict()) == item
    assert item.originator == "ann"


def test_rising_scores_are_allowed_on_request() -> None:
    entry = broken("wishes", "bob", "public", value=5)
    assert access.Item.from_dict({**entry, "monotone": False}).scores[1].tolist() == [4, 3, 5]


def test_revising_somebody_else_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"wishes\.zoe"):
        access.Item.from_dict(GOOD).revised({"zoe": {}})


def test_an_item_without_its_originator_has_another() -> None:
    item = access.Item.from_dict(GOOD).without("ann")
    assert (item.people, item.originator, item.peers) == (("bob",), "bob", {})
