"""One picture for each promise: grouped by what they are about, shares as measured, and what is broken first."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.page.pages import Structure

from entrenous import attack
from entrenous.attack import Finding, Replay, settings
from entrenous.attack.audit_page import audit_report
from entrenous.attack.promises_page import Promise, promise_of, promises, verdict_on
from entrenous.attack.replay import Compared, Part
from entrenous.network import MECHANISMS
from entrenous.page.pictures.promises import promise as picture
from entrenous.page.report import Report
from entrenous.price import Price
from entrenous.unit import Unit
from entrenous.words.counting.holder import HOLDERS


def finding(mechanism: str, measured: float = 0.5, *, unit: str = "edge", **more: float) -> Finding:
    return Finding(mechanism, unit, "canary", stated=1.0, measured=measured, trials=100, **more)  # type: ignore[arg-type]


def replayed(
    mechanism: str, moved: Price, stated: Price, *, unit: Unit = Unit.EDGE, same: bool = True
) -> Replay:
    part = Part("degrees", stated, moved, 0.1)
    return Replay(mechanism, unit, stated, (Compared("one tie less", stated, (part,), same_published=same),))


def texts(page: Report) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.html.split("</style>")[1]).split())


def by_name(found: Sequence[Promise]) -> dict[str, Promise]:
    return {each.name: each for each in found}


@pytest.mark.long
def test_every_mechanism_and_every_unit_has_its_picture() -> None:
    """Names are those that the audit and the replays themselves give."""
    attacks = [finding(name, unit=str(setting.unit)) for name, setting in settings().items()]
    replays = attack.replays(people=24, messages=80, neighbours=1, rng=1)
    found = promises(attacks, replays)
    by_noun = {
        noun: {(each.release, each.unit) for each in found if each.noun == noun and each.replays}
        for noun in ("network", "words")
    }
    assert by_noun["network"] == {(name, "edge") for name in MECHANISMS}
    units = {holder.unit.name for holder in HOLDERS.values()}
    published = {(release, unit) for release in ("vocabulary", "histogram") for unit in units}
    assert by_noun["words"] == published | {("private estimate of correlation", "edge-content")}
    assert all(each.attacks for each in found if each.noun == "network")
    left_out = [each for each in attacks if not any(each in promise.attacks for promise in found)]
    assert {each.mechanism.partition(",")[0] for each in left_out} == {"network: statistics"}
    assert sum(len(each.replays) for each in found) == len(replays)


def test_findings_are_grouped_by_what_is_released_and_hidden() -> None:
    assert promise_of("network: owner", "edge") == promise_of("network: owner, one release", "edge")
    assert promise_of("words: vocabulary, guided, n = 2, counts", "thread") == (
        "words",
        "vocabulary",
        "thread",
    )
    assert promise_of("words: histogram, geometric", "message") != promise_of("words: histogram", "thread")
    for mechanism in (
        "network: statistics, degrees",
        "network: chung-lu, 4 releases without a vault",
        "network: unheard-of, degrees",
        "foreign: owner",
        "owner",
    ):
        assert promise_of(mechanism, "edge") is None
    free = Finding("network: tmf, time", "edge", "time", stated=None, measured=0.9, quantity="AUC")
    assert promises([free, finding("network: owner, slots")])[0].attacks == (
        finding("network: owner, slots"),
    )


def test_shares_are_those_of_the_strongest_attack_and_of_the_worst_replay() -> None:
    weak, strong = finding("network: owner, slots", 0.5), finding("network: owner, one release", 1.5)
    strong = replace(strong, stated=2.0)
    spared = replayed("network: owner", Price(epsilon=1.0), Price(epsilon=8.0))
    worse = replayed("network: owner", Price(epsilon=4.9), Price(epsilon=8.0))
    normal = replayed("words: histogram, gaussian", Price(mu=0.3), Price(mu=1.5), unit=Unit.MESSAGE)
    found = by_name(promises([weak, strong], [spared, worse, normal]))
    assert found["owner"].proved == 0.75
    assert found["owner"].allowed == pytest.approx(0.6125)
    assert (found["histogram: message"].proved, found["histogram: message"].allowed) == (
        None,
        pytest.approx(0.2),
    )
    page = audit_report([weak, strong], replays=[spared, worse, normal])
    said = texts(page)
    assert said.index("2 promises, none broken.") < said.index("Network: what holds")
    assert re.search(r">75 %</text>.*>61 %</text>.*>not tried</text>.*>20 %</text>", page.html, re.DOTALL)
    assert "shift the odds of a guess by a factor of 7.39 at most (epsilon 2)" in said
    assert "certainly shifted them by 4.48" in said
    assert "owner, holds. Of what is stated: proved at least 75 %, allowed 61 %" in said


def test_what_a_replay_breaks_comes_first_and_is_named() -> None:
    fine = [replayed(f"network: {name}", Price(epsilon=0.5), Price(epsilon=1.0)) for name in ("owner", "tmf")]
    wrong = replayed("network: dgg", Price(epsilon=0.5), Price(epsilon=1.0), same=False)
    attacks = [finding(f"network: {name}, degrees") for name in ("owner", "tmf", "dgg")]
    page = audit_report(attacks, replays=[*fine, wrong])
    said = texts(page)
    assert "3 promises, 1 broken (dgg)." in said
    assert said.index("Network: dgg Broken.") < said.index("Network: what holds")
    assert "what is published differs although all answers are the same" in said
    drawn = re.findall(r'<title id="(promise-[\w-]+)-title">', page.html)
    assert drawn == ["promise-network-dgg-edge", "promise-network-owner-edge", "promise-network-tmf-edge"]
    assert ">no limit</text>" in page.html
    assert "no limit" in said[said.index("What is promised") :]
    assert json.loads(json.dumps(wrong.finding().to_json(), allow_nan=False))["measured"] is None
    assert "Broken." not in texts(audit_report(attacks, replays=fine)).partition("What attackers gained")[0]


def test_more_than_stated_is_broken_only_beyond_doubt() -> None:
    sure, doubtful = (finding("network: owner, slots", 1.3, beyond_doubt=bound) for bound in (1.1, 0.9))
    assert [promises([each])[0].verdict for each in (sure, doubtful)] == ["broken", "in doubt"]
    assert verdict_on(promises([doubtful])) == "1 promise, none broken, 1 in doubt (owner)."
    assert ">130 %</text>" in audit_report([doubtful]).html
    exceeded = replayed("network: owner", Price(epsilon=1.1), Price(epsilon=1.0))
    assert promises([], [exceeded])[0].verdict == "broken"
    refused = replace(exceeded, neighbours=(), noise_problems=("the desk refused",))
    assert promises([], [refused])[0].allowed == math.inf


def test_a_broken_part_is_not_passed_over() -> None:
    """A statistic by itself belongs to no promise; the verdict must not say that all is well."""
    part = finding("network: statistics, degrees", 2.0)
    bits = Finding("words: histogram", "edge", "low bits", stated=0.0, measured=0.4, quantity="share")
    found = [finding("network: owner, slots"), part, bits]
    said = "Beside them: network: statistics, degrees (broken); words: histogram (broken)."
    assert said in texts(audit_report(found))
    assert "Beside" not in texts(audit_report(found[:1]))


def test_the_page_is_whole_and_its_pictures_can_be_heard() -> None:
    attacks = [finding(name, unit=str(setting.unit)) for name, setting in settings().items()]
    page = audit_report(attacks)
    structure = Structure(page.html)
    assert len(structure.ids) == len(set(structure.ids))
    assert all(address[1:] in structure.ids for address in structure.addresses)  # leads nowhere else
    assert len(re.findall(r'aria-labelledby="promise-', page.html)) == len(promises(attacks))


@pytest.mark.parametrize("value", [0.0, 0.3, 0.9, 1.0, 1.004, 2.5, 40.0, math.inf, None])
def test_any_share_has_a_picture(value: float | None) -> None:
    drawn = {picture(*pair, name="p", title="t") for pair in ((value, 0.5), (0.5, value))}
    assert len(drawn) == 2
    assert all("var(--original)" in each for each in drawn) == (value is not None and value > 1)
