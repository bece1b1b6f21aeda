"""Faults planted one by one in a copy of the package: whoever should notice them, does."""

from __future__ import annotations

from tests.mutants.faults_of_desk import DESK
from tests.mutants.faults_of_network import NETWORK
from tests.mutants.faults_of_vault import VAULT
from tests.mutants.faults_of_words import WORDS

MUTANTS = (*DESK, *VAULT, *NETWORK, *WORDS)
