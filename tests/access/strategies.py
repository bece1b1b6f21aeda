"""Random groups for the property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from entrenous.access import CHOICES, Consensus, Item, StrongMajority

VOTES = st.sampled_from([Consensus(), StrongMajority(0.51), StrongMajority(0.66), StrongMajority(0.75)])


def percents(*, most: int = 100) -> st.SearchStrategy[float]:
    return st.integers(0, most).map(lambda percent: percent / 100)


@st.composite
def answers(draw: st.DrawFn, method: str) -> dict[str, int]:
    scores = draw(st.lists(st.integers(0, 5), min_size=4, max_size=4))
    if method == "oo":
        return dict(zip(CHOICES, scores, strict=True))
    return dict(zip(CHOICES[1:], sorted(scores[:3], reverse=True), strict=True))


@st.composite
def items(
    draw: st.DrawFn,
    *,
    methods: tuple[str, ...] = ("oc", "oo"),
    least: int = 1,
    most: int = 6,
    limits: bool = False,
    heaviest: int = 100,
    mode: str = "cap",
) -> Item:
    method = draw(st.sampled_from(methods))
    people = [f"p{k}" for k in range(draw(st.integers(least, most)))]
    wishes = {who: draw(answers(method)) for who in people}
    peers = {
        who: draw(st.dictionaries(st.sampled_from(friends), percents(most=heaviest)))
        for who in people
        if (friends := [friend for friend in people if friend != who])
    }
    bounds = draw(st.dictionaries(st.sampled_from(people), st.sampled_from(CHOICES))) if limits else {}
    return Item(wishes, peers, method=method, mode=mode, vote=draw(VOTES), limits=bounds)
