"""Pages about attacks: they say what was tried, gained and promised, and which of them are private."""

from __future__ import annotations

import re

import pytest

from entrenous import access, datasets, links
from entrenous.attack import Finding, Groups, guess_edges, infer_edge, known_links, manipulate, tempted
from entrenous.attack.audit_page import audit_report
from entrenous.attack.page import (
    access_attack_report,
    links_attack_report,
    network_attack_report,
    words_attack_report,
)
from entrenous.page.report import CURATOR_BANNER, Report
from entrenous.words import Binomial

PAPER = Binomial(p0=0.0277, p1=0.2739, neighbours=1883)
CLUB = datasets.karate_club()


def texts(page: Report) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.html.split("</style>")[1]).split())


def pictures(page: Report) -> list[str]:
    return re.findall(r'<title id="([\w-]+)-title">', page.html)


def test_the_point_of_the_paper_stands_on_its_page() -> None:
    page = words_attack_report(PAPER, epsilon=1.0)
    said = texts(page)
    assert "Edge level: odds move by a factor of up to 10²⁷⁸. Correlated edge: by up to 2.72." in said
    assert "edge level 2.72 (10²⁷⁸) (10⁸¹⁸)" in said
    assert "correlated edge 1.00 2.72 (57.52)" in said
    assert pictures(page) == ["odds-and-error", "sure"]
    assert not page.private


def test_a_corpus_makes_the_page_private() -> None:
    page = words_attack_report(
        Binomial(0.1, 0.6, 30), epsilon=1.0, mail={"true counts": 0.92, "edge level": 0.91}
    )
    assert page.private
    assert CURATOR_BANNER in page.html
    assert pictures(page)[-1] == "mail"
    assert re.search(r">92 %</text>", page.html)


@pytest.mark.long
def test_the_network_page_sets_alarms_beside_what_is_allowed() -> None:
    found = infer_edge(CLUB, epsilon=1.0, method="tmf", trials=80, together=(1, 2), rng=1)
    page = network_attack_report(found, [guess_edges(CLUB, [CLUB])], [("method", "tmf")])
    assert page.private
    assert pictures(page) == ["alarms", "sure", "guesses"]
    said = texts(page)
    assert "One release, 1 % aimed at" in said
    assert "2 releases, 10 % aimed at" in said
    assert "Promised: epsilon 2." in said


def test_the_links_page_says_that_the_last_one_is_known() -> None:
    hidden = links.obfuscate(CLUB, rng=1, steps=1000)
    page = links_attack_report([known_links(hidden, share) for share in (0.0, 0.5, 1.0)])
    assert page.private
    assert "knows the last one: 100 %" in texts(page)
    assert pictures(page) == ["certain"]


def test_the_access_page_says_that_limits_hold() -> None:
    groups = Groups.random(50, 3, rng=1)
    found = [manipulate(groups, limits=limits) for limits in (False, True)]
    page = access_attack_report(found)
    assert not page.private
    assert "With hard limits it does so in 0 % of 50 groups." in texts(page)
    item = access_attack_report(found, tempted(access.read_example("limits")))
    assert item.private
    assert "ann friends friends friends" in texts(item)  # dora has a limit


@pytest.mark.parametrize("broken", [False, True])
def test_the_audit_page_counts_what_is_broken(broken: bool) -> None:
    sound = Finding("network: tmf", "edge", "canary", stated=1.0, measured=0.9, trials=100)
    other = Finding("network: other", "edge", "canary", stated=1.0, measured=2.0 if broken else 0.0, trials=9)
    free = Finding("links: LORA", "link", "hierarchy", stated=None, measured=0.4, quantity="share")
    page = audit_report([sound, other, free])
    assert f"Tests of promises: 2. Broken: {int(broken)}." in texts(page)
    assert ("BROKEN" in page.html) == broken
    assert "nothing is promised" in page.html


def test_flaws_planted_on_purpose_are_not_taken_for_broken_promises() -> None:
    flaw = Finding("half the noise", "edge", "canary", stated=1.0, measured=2.0, trials=100)
    missed = Finding("no flaw at all", "edge", "canary", stated=1.0, measured=0.5, trials=100)
    page = audit_report([flaw, missed], broken=True)
    said = texts(page)
    assert "Broken on purpose" in said
    assert "None of these mechanisms is in use" in said
    assert "Caught: 1 of 2." in said
    assert "BROKEN" not in said


def test_a_bound_above_the_promise_that_may_be_chance_is_in_doubt() -> None:
    doubtful = Finding("tmf", "edge", "canary", stated=1.0, measured=1.2, beyond_doubt=0.9, trials=100)
    said = texts(audit_report([doubtful]))
    assert "Broken: 0. In doubt: 1." in said
    assert "in doubt: run more" in said
