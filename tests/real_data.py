"""Where the real graphs and mail lie: ENTRENOUS_DATA, or ../shared/data beside the repository."""

from __future__ import annotations

import os
from pathlib import Path

DATA = Path(os.environ.get("ENTRENOUS_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
