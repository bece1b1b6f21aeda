"""The registry of voting rules: each is complete, checked, and known everywhere by being there."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from entrenous import access
from entrenous.access import Consensus, StrongMajority, votes
from entrenous.access.decision import RULES
from entrenous.access.votes import VOTES, Vote, check_vote, parse_vote, read_vote
from entrenous.errors import ArgumentError

NEW_RULE = """
from dataclasses import dataclass
from entrenous.access.votes.vote import Vote

@dataclass(frozen=True)
class AllButOne(Vote):
    name = "all-but-one"
    description = "One may disagree."

    @classmethod
    def examples(cls):
        return {"all but one": cls()}

    @property
    def label(self):
        return "all of us but one"

    def needed(self, voters):
        return max(voters - 1, 1)
"""


def test_the_rules() -> None:
    assert {"consensus": Consensus, "majority": StrongMajority}.items() <= VOTES.items()
    assert next(iter(VOTES)) == "consensus", "forms begin with the default"
    assert Consensus() == votes.DEFAULT


@pytest.mark.parametrize("rule", VOTES.values())
def test_every_rule_is_complete(rule: type[Vote]) -> None:
    assert rule.description.endswith(".")
    assert {parameter.name for parameter in rule.parameters} == set(getattr(rule, "__dataclass_fields__", {}))
    assert rule.name in RULES
    assert rule.usual() in rule.examples().values()
    for vote in rule.examples().values():
        assert check_vote(vote) is vote
        assert read_vote(vote.to_dict()) == vote
        assert vote.label in vote.sentence
        numbers = [vote.needed(voters) for voters in range(1, 60)]
        assert all(1 <= needed <= voters for voters, needed in enumerate(numbers, start=1))
        assert numbers == sorted(numbers)


def test_two_thirds_in_hundredths_are_two_thirds_of_small_groups() -> None:
    usual = StrongMajority.usual()
    assert all(usual.needed(voters) == StrongMajority(2 / 3).needed(voters) for voters in range(1, 50))


@pytest.mark.parametrize(
    ("text", "vote"),
    [
        ("consensus", Consensus()),
        ("majority", StrongMajority(0.66)),
        ("majority:0.75", StrongMajority(0.75)),
        ("majority:1", StrongMajority(1)),
    ],
)
def test_votes_as_typed(text: str, vote: Vote) -> None:
    assert parse_vote(text) == vote


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "vote: expected consensus or "),
        ("veto", "vote: expected consensus or "),
        ("consensus:1", "vote: expected consensus or "),
        ("majority:0.6:0.7", "vote: expected consensus or "),
        ("majority:0.5", "vote.theta: expected a number above 0.5 and at most 1"),
        ("majority:half", "vote.theta: expected a number above 0.5 and at most 1"),
        ("majority:nan", "vote.theta: expected a number above 0.5 and at most 1"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        parse_vote(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("vote", [None, "consensus", Vote, Consensus])
def test_what_is_no_vote_is_refused(vote: object) -> None:
    with pytest.raises(ArgumentError, match=r"vote: expected Consensus\(\) or "):
        check_vote(vote)
    with pytest.raises(ArgumentError, match=r"vote: expected Consensus\(\) or "):
        access.Item({"ann": {"friends": 4, "friends-of-friends": 3, "public": 0}}, {}, vote=vote)  # type: ignore[arg-type]


def test_a_file_in_the_folder_is_a_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "all_but_one.py").write_text(NEW_RULE)
    monkeypatch.setattr(votes, "__path__", [*votes.__path__, str(tmp_path)])
    try:
        found = votes._rules()
    finally:
        sys.modules.pop("entrenous.access.votes.all_but_one", None)
    assert list(found)[:2] == ["consensus", "all-but-one"]
    monkeypatch.setattr(votes, "VOTES", found)
    monkeypatch.setattr("entrenous.access.settling.batch.RULES", (*RULES, "all-but-one"))
    vote = read_vote({"rule": "all-but-one"})
    wishes = {who: {"friends": 5, "friends-of-friends": 4, "public": 4} for who in ("ann", "bob", "cem")}
    wishes["cem"] = {"friends": 5, "friends-of-friends": 1, "public": 0}
    item = access.Item(wishes, {}, vote=vote)
    decision = access.decide(item)
    assert (decision.choice, decision.rule) == ("public", "all-but-one")
    batch = access.mediate_batch(item.scores[None], np.zeros((1, 3, 3)), vote=vote)
    assert batch.rule_names() == ["all-but-one"]
