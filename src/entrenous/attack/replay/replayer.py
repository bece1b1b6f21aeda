"""A release is run again on other data, and gets the answers that were recorded: what follows must be the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous.attack.replay.aligned import DifferentError
from entrenous.attack.replay.noise_checks import noise_problems
from entrenous.attack.replay.questions import Memory, compared, followed
from entrenous.attack.replay.replayed import Compared, Part
from entrenous.attack.tools.recorder import Numbers, Recorder, Said
from entrenous.attack.tools.transcript import same
from entrenous.errors import PrivacyError
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.release import Release
from entrenous.statistic import Statistic
from entrenous.unit import Unit
from entrenous.words.statistics.candidates import Candidates
from entrenous.words.statistics.fixed_counts import Counted
from entrenous.words.statistics.found import Found, Scored

__all__ = ["Recorded", "compare", "record_release"]

_UNASKED = "noise is drawn that no question asked for"
#: Draw a release from a source of noise, with data that are already in place.
Draws = Callable[[Noise], object]
_DAY = "2000-01-01"  # on every card that is compared: a replay may last past midnight


@dataclass(frozen=True, eq=False)
class _Going:
    """An answer that goes on: words, and what longer n-grams were scored, as it was asked for."""

    words: Found
    longer: Callable[[Candidates], Scored]
    scored: list[tuple[Candidates, Scored]] = field(default_factory=list)


class _Recorder(Recorder):
    """A recorder that also writes down how answers go on."""

    def answer(self, statistic: Statistic[Any, Any], data: Any, unit: Unit) -> Any:
        drawn = super().answer(statistic, data, unit)
        if not isinstance(drawn, Counted):
            return drawn
        scored: list[tuple[Candidates, Scored]] = []

        def longer(candidates: Candidates) -> Scored:
            scored.append((candidates, drawn.longer(candidates)))
            return scored[-1][1]

        going = _Going(drawn.words, longer, scored)
        self.said[-1] = Said(statistic, unit, data, going, self.said[-1].draws)
        return going


class _EnoughError(Exception):
    """Raised when every recorded question was asked again, and nobody wants to see what is published."""


class _Replayer(Noise):
    """Gives the recorded answers, and compares what they say of other data."""

    def __init__(self, seen: Recorded, *, to_the_end: bool) -> None:
        super().__init__(seen.public)
        self.rehearsal = seen.rehearsal
        self.parts: list[Part] = []
        self._left, self._to_the_end = list(seen.said), to_the_end
        self._memory = seen.memory

    def answer(self, statistic: Statistic[Any, Any], data: Any, unit: Unit) -> Any:
        if not self._left:
            raise DifferentError("more questions are asked than of the recorded data")
        said = self._left.pop(0)
        if unit != said.unit or not same(statistic, said.statistic):
            raise DifferentError(f"the question for {statistic.name} depends on the data")
        self.parts.append(compared(said, data, self._memory))
        if not self._left and not self._to_the_end:
            raise _EnoughError
        if isinstance(said.answer, _Going):
            return _Going(said.answer.words, _again(said.answer.scored))
        return said.answer

    def geometric(self, counts: Numbers, **_: Any) -> Numbers:  # noqa: ARG002
        raise DifferentError(_UNASKED)

    def gaussian(self, values: Numbers, **_: Any) -> Numbers:  # noqa: ARG002
        raise DifferentError(_UNASKED)

    def words(self, count: int) -> NDArray[np.uint64]:  # noqa: ARG002
        raise DifferentError(_UNASKED)

    @property
    def finished(self) -> bool:
        return not self._left


def _again(scored: Sequence[tuple[Candidates, Scored]]) -> Callable[[Candidates], Scored]:
    left = list(scored)

    def longer(candidates: Candidates) -> Scored:
        before, answer = left.pop(0) if left else (None, None)
        if answer is None or not same(candidates, before):
            raise DifferentError("which longer n-grams are looked at depends on the data")
        return answer

    return longer


@dataclass(frozen=True)
class Recorded:
    """A release with everything that was drawn for it. Private.

    Attributes
    ----------
    said
        All questions with their answers and draws.
    public
        The seed of post-processing.
    rehearsal
        Whether noise came from a seed.
    published
        The files of the release.
    problems
        What is wrong with its noise, or with how its answers were drawn.
    memory
        What does not depend on neighbours, worked out once.
    """

    said: tuple[Said, ...]
    public: int
    rehearsal: bool
    published: Mapping[str, bytes]
    problems: tuple[str, ...]
    memory: Memory = field(default_factory=dict)


def record_release(draw: Draws, rng: np.random.Generator | int | None) -> Recorded:
    """Draw a release and write down everything that was private about it.

    Parameters
    ----------
    draw
        Draws the release.
    rng
        None for real noise; a seed for a rehearsal.
    """
    public = int(np.random.default_rng(rng).integers(2**63))
    noise = _Recorder(rng, public)
    try:
        published = _files(draw(noise))
    except PrivacyError as refusal:
        return Recorded(tuple(noise.said), public, noise.rehearsal, {}, (f"the desk refused: {refusal}",))
    wrong = [(each.statistic.name, followed(each)) for each in noise.said]
    problems = tuple(f"{name}: {problem}" for name, problem in wrong if problem is not None)
    return Recorded(
        tuple(noise.said), public, noise.rehearsal, published, (*noise_problems(noise.said), *problems)
    )


def compare(change: str, draw: Draws, seen: Recorded, stated: Price, *, to_the_end: bool) -> Compared:
    """Give the recorded answers to a release of other data, and return what they could have told.

    Parameters
    ----------
    change
        What differs, in words.
    draw
        Draws the release of the other data.
    seen
        What was recorded.
    stated
        What all questions together may cost.
    to_the_end
        Whether to go on after the last answer and look at what is published.
    """
    noise = _Replayer(seen, to_the_end=to_the_end)
    problems: tuple[str, ...] = ()
    same_published = True
    try:
        same_published = _files(draw(noise)) == seen.published
        if not noise.finished:
            problems = ("fewer questions are asked than of the recorded data",)
    except _EnoughError:
        pass
    except DifferentError as difference:
        problems = (str(difference),)
    except MemoryError:
        raise
    except PrivacyError as refusal:
        problems = (f"with the other data it is refused: {refusal}",)
    except Exception as failure:  # noqa: BLE001 - whether a release fails must not depend on the data
        # Its sentence may quote data, its kind does not.
        problems = (f"with the other data it fails: {type(failure).__name__}",)
    return Compared(change, stated, tuple(noise.parts), same_published, problems)


def _files(made: object) -> dict[str, bytes]:
    """Return what is published: the files of a release, or plain numbers."""
    if not isinstance(made, Release):
        return {"numbers": repr(made).encode()}
    with TemporaryDirectory() as folder:
        dated = replace(made, provenance=replace(made.provenance, created=_DAY))
        place = dated.save(Path(folder) / "published")
        return {file.name: file.read_bytes() for file in sorted(place.rglob("*")) if file.is_file()}
