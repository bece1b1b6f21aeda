"""Record a real release and replay its answers on neighbouring data: exact, on data of the user's own."""

from __future__ import annotations

from entrenous.attack.replay.everything import replays
from entrenous.attack.replay.networks import replay
from entrenous.attack.replay.replayed import Compared, Part, Replay
from entrenous.attack.replay.word_releases import replay_correlation, replay_histogram, replay_vocabulary

__all__ = [
    "Compared",
    "Part",
    "Replay",
    "replay",
    "replay_correlation",
    "replay_histogram",
    "replay_vocabulary",
    "replays",
]
