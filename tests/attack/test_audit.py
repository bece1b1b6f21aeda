"""No sound mechanism is shown to give away more than it states, and every broken one is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import norm

from entrenous.attack.audit import audit_settings, broken_settings, settings
from entrenous.attack.canaries.canary_edges import noisy_statistics
from entrenous.attack.tools.betting import log_capital
from entrenous.attack.tools.evidence import DECIDING, REFUTED, Evidence
from entrenous.attack.tools.findings import Finding
from entrenous.attack.tools.lower_bound import BEYOND_DOUBT, clopper_pearson, epsilon_lower_bound, power
from entrenous.errors import ArgumentError
from entrenous.network import MECHANISMS, statistics
from entrenous.network.mechanisms.owner import Plan
from entrenous.network.statistics import Communities, Degrees, passing_pairs, triangles
from entrenous.noise import Noise
from entrenous.price import gaussian_scale
from entrenous.unit import Unit
from entrenous.words.counting.table import Table
from entrenous.words.histogram import histogram
from entrenous.words.statistics import named_weights
from entrenous.words.statistics.threshold import coupled_threshold

pytestmark = pytest.mark.audit
SOUND, BROKEN = settings(), broken_settings()
FALL = math.exp(-1.0)


@cache
def audited(name: str) -> Finding:
    return audit_settings([name], rng=4)[0]


@pytest.mark.thorough
@pytest.mark.parametrize("name", SOUND)
def test_no_bound_exceeds_what_is_stated(name: str) -> None:
    """A bound of 95 % may exceed it for one tight mechanism in fifty or so; here none does, by the seed."""
    assert audited(name).verdict == "holds"
    assert audited(name).stated == SOUND[name].epsilon


@pytest.mark.parametrize("name", SOUND)
def test_a_mechanism_that_publishes_its_secret_would_be_caught(name: str) -> None:
    setting = SOUND[name]
    evidence = Evidence(setting.epsilon, setting.delta)
    evidence.add(np.ones(setting.short), np.zeros(setting.short))
    assert evidence.refuted


TIGHT = [
    "network: tmf, pairs",
    "network: chung-lu, degrees",
    "network: privhrg, public hierarchy",
    "network: owner, slots",
    "words: histogram, geometric",
    "words: histogram, belief of copies",
]


@pytest.mark.parametrize("name", TIGHT)
def test_where_the_stated_epsilon_is_reached_the_attack_comes_close_and_not_beyond(name: str) -> None:
    assert audited(name).verdict == "holds"
    assert audited(name).measured > 0.4 * SOUND[name].epsilon


def test_every_method_and_unit_is_attacked() -> None:
    for mechanism in MECHANISMS:
        assert sum(name.startswith(f"network: {mechanism},") for name in SOUND) >= 2
        assert f"network: {mechanism}, released graph" in SOUND
    assert {setting.unit for setting in SOUND.values()} == set(Unit.all())
    assert len(SOUND) >= 68
    assert len(BROKEN) >= 23


def test_every_statistic_of_networks_is_attacked_alone() -> None:
    alone = {type(statistic) for _, statistic, _ in noisy_statistics()}
    otherwise = {statistics.Communities, statistics.Slots, statistics.Tree, statistics.Triangles}
    assert alone | otherwise == {getattr(statistics, name) for name in statistics.__all__}


# Faults in the audited code itself: the settings of the sound mechanisms notice them.


def one_end_paid(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Degrees, "stability", {Unit.EDGE: 1})


def tails_paid_for_one_end(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(statistics.Tails, "stability", {Unit.EDGE: 1})


def inner_degrees_paid_for_one_end(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(statistics.CommunityCounts, "_INNER", 1)


def only_the_edge_itself_moves(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(statistics.JointDegrees, "sensitivity", lambda self, unit: 1)


def half_the_noise(patch: pytest.MonkeyPatch) -> None:
    drawn = Noise.geometric
    patch.setattr(
        Noise,
        "geometric",
        lambda self, counts, *, sensitivity, epsilon: drawn(
            self, counts, sensitivity=sensitivity, epsilon=2 * epsilon
        ),
    )


def least_leverage(patch: pytest.MonkeyPatch) -> None:
    drawn = triangles.ladder
    patch.setattr(
        triangles,
        "ladder",
        lambda count, leverage, *, epsilon, noise: drawn(
            count, triangles.least_leverage(epsilon), epsilon=epsilon, noise=noise
        ),
    )


def both_ends_draw(patch: pytest.MonkeyPatch) -> None:
    drawn = Communities.draw
    patch.setattr(
        Communities,
        "draw",
        lambda self, data, unit, noise: drawn(replace(self, epsilon=2 * self.epsilon), data, unit, noise),
    )


def sharper_filter(patch: pytest.MonkeyPatch) -> None:
    chosen = passing_pairs.choose_filter
    patch.setattr(
        passing_pairs, "choose_filter", lambda epsilon, pairs, edges: chosen(2 * epsilon, pairs, edges)
    )


def no_threshold(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(named_weights, "uniform_threshold", lambda *_, **__: 0.0)


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        (one_end_paid, "network: chung-lu, degrees"),
        (one_end_paid, "network: dgg, degrees"),
        (one_end_paid, "network: owner, degrees alone"),
        (tails_paid_for_one_end, "network: statistics, the degree distribution"),
        (inner_degrees_paid_for_one_end, "network: statistics, degrees in communities"),
        (only_the_edge_itself_moves, "network: statistics, joint degrees"),
        (half_the_noise, "network: privhrg, public hierarchy"),
        (half_the_noise, "words: histogram, geometric"),
        (half_the_noise, "words: histogram, belief of copies"),
        (least_leverage, "network: owner, many triangles"),
        (both_ends_draw, "network: privgraph, adjustment"),
        (sharper_filter, "network: tmf, pairs"),
        (no_threshold, "words: vocabulary, a word of its own"),
    ],
)
def test_a_fault_in_the_real_mechanism_is_caught(
    fault: Callable[[pytest.MonkeyPatch], None], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault(monkeypatch)
    assert audit_settings([name], rng=1)[0].broken


def named_at_least(runs: int = 500) -> float:
    """The least probability, with 99.9 % confidence, that a word which one edge alone has is named."""
    setting, rng = SOUND["words: vocabulary, a word of its own"], np.random.default_rng(2)
    named = sum(setting.play(True, rng) > 1e5 for _ in range(runs))
    return clopper_pearson(named, runs, confidence=BEYOND_DOUBT)[0]


def test_a_word_that_one_edge_has_is_named_no_more_often_than_delta(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else has it, so naming it at all is what delta is for; a threshold without its own weight is caught."""
    delta = SOUND["words: vocabulary, a word of its own"].delta
    assert named_at_least() <= delta
    needed = named_weights.uniform_threshold
    monkeypatch.setattr(
        named_weights, "uniform_threshold", lambda *args, **kwargs: needed(*args, **kwargs) - 1
    )
    assert named_at_least() > delta


# Mechanisms broken on purpose: the exact chances of an event in both worlds, what is drawn, and the power that follows.


class Event(NamedTuple):
    """The chances of a score of at least `threshold` with the canary and without."""

    canary: float
    plain: float
    threshold: float


def one_side(epsilon: float) -> tuple[float, float]:
    """The chance that geometric noise does not fall below 0, and that it rises to 1 or more."""
    fall = math.exp(-epsilon)
    return 1 / (1 + fall), fall / (1 + fall)


def all_of(count: int, epsilon: float, threshold: float) -> Event:
    """So many numbers, each with noise of its own, on the side of the canary."""
    with_canary, without = one_side(epsilon)
    return Event(with_canary**count, without**count, threshold)


def ladder_above(rungs: int, least: int, decay: float) -> float:
    """The chance that a ladder of the least leverage rises by so much or more."""
    chances = [math.exp(-decay * k) for k in range(200) for _ in range(least + k)]
    return sum(chances[rungs:]) / (2 * sum(chances))


def distributions() -> dict[str, Event]:
    joined = math.exp(2) / (math.exp(2) + 9)
    deviation = gaussian_scale(1.0, 0.01) / 3
    wide = gaussian_scale(2.0, 0.025, 21)
    raised = (coupled_threshold(wide, 0.025, 1, 1) - 21) / wide
    ladder = triangles.least_leverage(1.0), triangles.decay_for(1.0)
    filtered = 1 - 0.5 * math.exp(-2 * 0.99)
    owner = Plan.of_shares(2.0, (0.0, 0.0, 1.0)).degrees / 2
    return {
        "network: chung-lu: half the noise": all_of(2, 1.0, 1.9),
        "network: owner: half the noise": all_of(2, owner, 1.35),
        "network: tmf: half the noise": Event(filtered, 0.5, 0.3),
        "network: owner, degrees: noise for one end of a tie": all_of(2, 1.0, 1.9),
        "network: owner, cells: an edge is counted twice": all_of(2, 1.0, 1.9),
        "network: privhrg, public hierarchy: epsilon is spent twice": all_of(2, 1.0, 1.9),
        "network: dk2: the largest degree is published exactly": Event(1.0, 0.0, 0.0),
        "network: privgraph, adjustment: one end of a tie pays, both draw": Event(joined**2, 0.01, 2.0),
        "network: owner, slots: the partition is not paid for": Event(1.0, 0.0, 1.0),
        "network: owner, triangles: noise for one triangle of thirty": Event(
            ladder_above(0, *ladder), ladder_above(30, *ladder), 30.0
        ),
        "network: privhrg, hierarchy: a finite chain from a fixed start": Event(1 - math.exp(-0.5), 0.0, 1.0),
        "words: histogram: half the noise": Event(*one_side(2.0), 0.5),
        "words: histogram: contents are not bounded": all_of(3, 1.0, 2.5),
        "words: histogram: a replaced content pays once": all_of(2, 1.0, 1.5),
        "words: histogram, Gaussian: a third of the noise": Event(  # counts are published as whole numbers: 2 or more
            norm.sf(0.5 / deviation), norm.sf(1.5 / deviation), 3.0
        ),
        "words: histogram, belief: the central edge is left out of W": Event(
            1 / (1 + FALL), FALL**2 / (1 + FALL), 2.0
        ),
        "words: histogram, belief: noise for an edge alone": Event(1 / (1 + FALL), FALL**6 / (1 + FALL), 6.0),
        "words: vocabulary, belief: the threshold is not raised": Event(norm.sf(raised), 0.0, 1e5),
        # Weights of 30 and threshold of 8.6 at most, in noise that deviates by 1.2: no chance to miss the word.
        "words: vocabulary: a message counts on each of its edges": Event(1.0, 0.0, 1e5),
        "words: vocabulary: edges are not clipped": Event(1.0, 0.0, 1e5),
        "words: vocabulary: senders are not clipped": Event(1.0, 0.0, 1e5),
        "words: histogram: edges are counted, and messages promised": Event(
            1 / (1 + FALL), FALL**3 / (1 + FALL), 3.0
        ),
        "words: histogram: a pair that turns into another pays once": all_of(2, 1.0, 1.5),
    }


KNOWN = distributions()


def test_the_distribution_of_every_broken_variant_is_known() -> None:
    assert KNOWN.keys() == BROKEN.keys()


@pytest.mark.thorough
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_variant_is_caught_and_follows_its_distribution(name: str) -> None:
    setting, known = BROKEN[name], KNOWN[name]
    rng = np.random.default_rng(1)
    (found,) = audit_settings([name], broken=True, rng=1)
    assert found.broken
    canary, plain = (
        np.array([setting.play(world, rng) for _ in range(max(setting.short, 200))])
        for world in (True, False)
    )
    bound = epsilon_lower_bound(canary, plain, delta=setting.delta, confidence=DECIDING)
    assert bound.epsilon > setting.epsilon
    for scores, chance in ((canary, known.canary), (plain, known.plain)):
        hits = int((scores >= known.threshold).sum())
        low, high = clopper_pearson(hits, len(scores), confidence=0.9999)
        assert low - 1e-9 <= chance <= high + 1e-9


@pytest.mark.parametrize("name", BROKEN)
def test_the_short_audit_catches_a_broken_variant_with_probability_above_99_percent(name: str) -> None:
    setting, known = BROKEN[name], KNOWN[name]
    likelier, other = known.canary, known.plain
    if "tmf" in name:  # there the pair that does not pass tells most
        likelier, other = 1 - known.plain, 1 - known.canary
    chance = power(
        likelier, other, setting.short,
        epsilon=setting.epsilon, delta=setting.delta, confidence=DECIDING,
    )  # fmt: skip
    assert chance > 0.99


def test_a_sound_coin_is_accused_at_the_end_about_once_in_a_hundred_thousand() -> None:
    assert power(*one_side(1.0), 2000, epsilon=1.0, confidence=DECIDING) < 2e-5


@pytest.mark.thorough
def test_a_sound_coin_is_accused_by_a_bet_no_more_often_than_it_may_be() -> None:
    """Ten thousand audits are too few to see one accused; less capital is reached in proportion more often."""
    rng, heads, audits = np.random.default_rng(1), 1 / (1 + FALL), 2000
    largest = np.array(
        [
            log_capital(rng.random(500) < heads, rng.random(500) < 1 - heads, epsilon=1.001).max()
            for _ in range(audits)
        ]
    )
    for tenth in (0.02, 0.05, 0.2):
        assert (largest >= -math.log(tenth)).mean() <= tenth
    assert (largest >= REFUTED).sum() <= 4


# The audit itself.


def test_processes_do_not_change_a_rehearsal() -> None:
    name, steps = "words: histogram, geometric", []
    alone = audit_settings(
        [name], effort=0.05, rng=4, progress=lambda done, total: steps.append((done, total))
    )
    assert audit_settings([name], effort=0.05, rng=4, processes=2) == alone
    assert steps[-1][0] == steps[-1][1] == alone[0].trials
    assert all(done <= total for done, total in steps)
    assert audit_settings([name], effort=0.05, rng=5) != alone


def test_broken_variants_are_audited_as_well_and_end_early() -> None:
    name, steps = "words: histogram, belief: noise for an edge alone", []
    (found,) = audit_settings(
        [name], broken=True, rng=1, progress=lambda done, total: steps.append((done, total))
    )
    assert found.verdict == "BROKEN"
    assert found.trials < found.details["planned"] == 2 * BROKEN[name].short
    assert steps[-1] == (found.trials, found.trials)
    (again,) = audit_settings([name], broken=True, rng=1, processes=2)
    assert again == found


def test_what_ended_early_says_no_more_than_is_true() -> None:
    """The bound of an audit that was stopped as it liked holds as well: here epsilon is 6."""
    (found,) = audit_settings(["words: histogram, belief: noise for an edge alone"], broken=True, rng=2)
    assert found.beyond_doubt is not None
    assert 1.0 < found.beyond_doubt <= found.measured <= 6.0


def test_real_noise_can_be_audited() -> None:
    (found,) = audit_settings(["network: owner, slots"], effort=0.05)
    assert not found.broken


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(ArgumentError, match="names"):
        audit_settings(["network: nothing"])


def test_a_bound_that_is_not_beyond_doubt_leaves_the_verdict_open() -> None:
    found = Finding("a", "edge", "b", stated=1.0, measured=1.2, trials=100, beyond_doubt=0.8)
    assert found.verdict == "in doubt"
    assert not found.broken


def test_mail_in_which_nobody_says_anything_is_not_told_by_an_error() -> None:
    empty = Table.from_counts([{}, {}], ends=[(0, 1), (0, 2)])
    made = histogram(empty, vocabulary=["gold"], epsilon=1.0, contribution=1, useless=True, rng=1)
    assert made.artifact.names == ("gold",)
