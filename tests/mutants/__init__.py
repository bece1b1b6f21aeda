"""Faults planted one by one in a copy of the package: whoever should notice them, does."""

from __future__ import annotations

from tests.mutants.faults.counts import COUNTS
from tests.mutants.faults.desk import DESK
from tests.mutants.faults.graphs import GRAPHS
from tests.mutants.faults.mechanisms import MECHANISMS
from tests.mutants.faults.messages import MESSAGES
from tests.mutants.faults.naming import NAMING
from tests.mutants.faults.noise import NOISE
from tests.mutants.faults.promises import PROMISES
from tests.mutants.faults.requests import REQUESTS
from tests.mutants.faults.rivals import RIVALS
from tests.mutants.faults.vault import VAULT

MUTANTS = (
    *DESK, *NOISE, *PROMISES, *VAULT, *GRAPHS, *MECHANISMS, *NAMING, *COUNTS, *MESSAGES, *RIVALS, *REQUESTS,
)  # fmt: skip
