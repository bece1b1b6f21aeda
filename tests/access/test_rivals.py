"""The other rules, on cases small enough to do by hand."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from tests.access.strategies import items

from entrenous import access

GROUP = access.Item(
    {
        "ann": {"friends": 5, "friends-of-friends": 5, "public": 4},
        "bob": {"friends": 5, "friends-of-friends": 4, "public": 3},
        "cleo": {"friends": 3, "friends-of-friends": 0, "public": 0},
    },
    {},
    limits={"cleo": "friends"},
    originator="bob",
)


def test_each_rule_by_hand() -> None:
    table = access.compare(GROUP)
    assert {rule: entry.choice for rule, entry in table.items()} == {
        "mediation": "friends",
        "majority": "public",
        "veto": "friends",
        "uploader": "public",
        # Sums of 2x - 5 are 11, 3 and -1: friends; without bob cleo's and ann's sums also favour friends.
        "clarke": "friends",
        # Means are 4.33, 3 and 2.33.
        "average": "friends-of-friends",
    }
    assert table["majority"].past_limit == table["majority"].past_wish == 1
    assert table["mediation"].past_limit == 0


def test_clarke_tax_is_the_loss_to_the_others() -> None:
    wishes = {
        "ann": {"private": 0, "public": 5},
        "bob": {"private": 3, "public": 0},
        "cleo": {"private": 1, "public": 0},
    }
    item = access.Item(wishes, {}, method="oo", choices=["private", "public"])
    entry = access.compare(item)["clarke"]
    assert entry.choice == "public"
    assert entry.tax == {"ann": 4.0, "bob": 0.0, "cleo": 0.0}
    assert entry.to_dict()["tax"] == {"ann": 4.0, "bob": 0.0, "cleo": 0.0}


def test_side_by_side_by_hand() -> None:
    wishes = {
        "ann": {"private": 5, "friends": 4, "public": 0},
        "bob": {"private": 0, "friends": 4, "public": 5},
        "cleo": {"private": 5, "friends": 4, "public": 1},
    }
    item = access.Item(wishes, {}, method="oo", choices=["private", "friends", "public"])
    choices = {rule: entry.choice for rule, entry in access.compare(item).items()}
    assert choices == {
        "mediation": "private",
        "majority": "private",
        "veto": "private",
        "uploader": "private",
        "clarke": "friends",
        "average": "friends",
    }


def test_nothing_wanted_by_anybody_is_the_narrowest() -> None:
    wishes = {who: {"friends": 0, "friends-of-friends": 0, "public": 0} for who in ("ann", "bob")}
    assert {entry.choice for entry in access.compare(access.Item(wishes, {})).values()} == {"private"}


@settings(max_examples=40, deadline=None, derandomize=True)
@given(items(limits=True))
def test_veto_never_goes_past_a_wish_and_mediation_never_past_a_limit(item: access.Item) -> None:
    table = access.compare(item)
    assert table["veto"].past_wish == 0
    assert table["mediation"].past_limit == 0
    assert all(tax >= 0 for tax in table["clarke"].tax.values())


def test_limits_end_what_peer_effects_begin() -> None:
    """Peer effects carry honest people past their own wish; a limit at that wish stops it, and nothing else does."""
    rng = np.random.default_rng(11)
    people = ("ann", "bob", "cleo")
    pushed = 0
    for _ in range(100):
        wishes = {
            who: dict(zip(access.CHOICES[1:], np.sort(rng.integers(0, 6, 3))[::-1].tolist(), strict=True))
            for who in people
        }
        peers = {who: {f: rng.integers(0, 101) / 100 for f in people if f != who} for who in people}
        pushed += access.compare(access.Item(wishes, peers))["mediation"].past_wish > 0
        limits = {
            who: max((c for c in wish if wish[c] >= 3), key=access.CHOICES.index, default="private")
            for who, wish in wishes.items()
        }
        assert access.compare(access.Item(wishes, peers, limits=limits))["mediation"].past_wish == 0
    assert pushed > 10
