"""How many runs of each world it takes to catch what was broken on purpose, by the split of before and as it is now.

For every broken variant a pool of scores is drawn once; audits are made by drawing from it, with replacement. Before,
the event was chosen on one half of the runs and judged on the other, with 99.9 % confidence. Now a bet is on while the
runs come, and three events are judged at the end; both together are wrong about a promise that holds once in two
thousand audits at most.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows import arguments, show, write
from entrenous.attack.audit import broken_settings
from entrenous.attack.tools.betting import log_capital
from entrenous.attack.tools.events import Events
from entrenous.attack.tools.evidence import DECIDING, REFUTED
from entrenous.attack.tools.lower_bound import epsilon_lower_bound
from entrenous.attack.tools.setting import Setting

Floats = NDArray[np.float64]
#: The power that both have to reach, and how finely the number of runs is told.
POWER, STEP = 0.99, 1.03
PIECES = 10
_POOL = 4  # times the runs of a short audit are drawn from


def main() -> None:
    """Print a row for each variant."""
    asked = arguments(__doc__)
    audits = 40 if asked.quick else 500
    rows = []
    for setting in broken_settings().values():
        rows.append(compare(setting, audits))
        show(rows[-1])
    write(rows, asked.json)


def compare(setting: Setting, audits: int) -> dict[str, object]:
    """Return the runs of each world that it takes to catch a setting with `POWER`, before and now."""
    rng = np.random.default_rng(zlib.crc32(setting.name.encode()))
    pool = _POOL * setting.short
    canary, plain = (np.array([setting.play(world, rng) for _ in range(pool)]) for world in (True, False))

    def drawn(runs: int) -> list[tuple[Floats, Floats]]:
        draw = np.random.default_rng(1)
        return [(draw.choice(canary, runs), draw.choice(plain, runs)) for _ in range(audits)]

    before = fewest(lambda runs: float(np.mean([split(*each, setting) for each in drawn(runs)])))
    samples = drawn(max(before, setting.short))
    caught_at = np.array([bet(*each, setting) for each in samples])

    def power_now(runs: int) -> float:
        return float(
            np.mean(
                [
                    at <= runs or at_the_end(*each, setting, runs)
                    for at, each in zip(caught_at, samples, strict=True)
                ]
            )
        )

    now = fewest(power_now)
    # Looked at after each tenth of the runs that are planned.
    ends = setting.short * np.arange(1, PIECES + 1) // PIECES
    made = ends[np.minimum(np.searchsorted(ends, caught_at), PIECES - 1)]
    return {
        "setting": setting.name, "before": before, "now": now, "ratio": now / before, "planned": setting.short,
        "made": float(made.mean()), "caught": power_now(setting.short), "audits": audits,
    }  # fmt: skip


def fewest(power: Callable[[int], float]) -> int:
    """Return the smallest number of runs, on a grid, from which on the power is enough."""
    high = 20
    while power(high) < POWER:
        high *= 2
    low = high // 2
    while high > low * STEP:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
        if high - low <= 1:
            break
    return high


def split(canary: Floats, plain: Floats, setting: Setting) -> bool:
    """Choose an event on one half and judge it on the other, at limits that share the risk: the audit of before."""
    events = Events.of_runs(canary[0::2], plain[0::2], 400)
    half = len(canary[0::2])
    bounds = limits(events.likelier, events.other, half, setting.delta)
    likelier, other = events[int(bounds.argmax())].seen(canary[1::2], plain[1::2])
    return bool(limits(likelier.sum(), other.sum(), len(likelier), setting.delta) > setting.epsilon)


def limits(likelier: NDArray[np.int64], other: NDArray[np.int64], runs: int, delta: float) -> Floats:
    """Return ln((p - delta) / q) at limits of 99.9 % for both together."""
    from scipy.special import betaincinv

    low = np.where(likelier > 0, betaincinv(np.maximum(likelier, 1), runs - likelier + 1, 0.0005), 0.0)
    high = 1 - np.where(other < runs, betaincinv(np.maximum(runs - other, 1), other + 1, 0.0005), 0.0)
    return np.asarray(np.log(np.maximum(low - delta, 1e-300)) - np.log(high))


def bet(canary: Floats, plain: Floats, setting: Setting) -> int:
    """Return the pair of runs after which a bet has refuted the promise; a number beyond all runs if none does."""
    capital = log_capital(canary, plain, epsilon=setting.epsilon + 1e-3, delta=setting.delta)
    rich = np.flatnonzero(capital >= REFUTED)
    return int(rich[0]) + 1 if len(rich) else sys.maxsize


def at_the_end(canary: Floats, plain: Floats, setting: Setting, runs: int) -> bool:
    """Tell whether so many runs, planned before the first, refute the promise."""
    bound = epsilon_lower_bound(canary[:runs], plain[:runs], delta=setting.delta, confidence=DECIDING)
    return bound.epsilon > setting.epsilon


if __name__ == "__main__":
    main()
