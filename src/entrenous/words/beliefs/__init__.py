"""What an attacker may believe about neighbouring edges: the models under which words are published."""

from __future__ import annotations

from collections.abc import Mapping

from entrenous.words.beliefs.belief import Belief
from entrenous.words.beliefs.correlation import Binomial, Chain, Group, Independent
from entrenous.words.beliefs.measured import Conditional, Global

__all__ = ["BELIEFS", "Belief", "Binomial", "Chain", "Conditional", "Global", "Group", "Independent"]

#: All beliefs by name: the plain one, those about what neighbours carry, and any dependence at all.
BELIEFS: Mapping[str, type[Belief]] = {
    belief.__name__: belief for belief in (Independent, Binomial, Global, Conditional, Chain, Group)
}
