"""What an attacker may believe about neighbouring edges: the models under which words are published.

A model is a policy, not a finding: it comes from a public or retired corpus (`fit`), from ranges somebody states, or
from a private estimate that is paid for (`estimate`). Measured on the confidential data itself (`calibrated`) it
promises nothing, and its card says so.

A mechanism knows a model through few things. `w_inf` bounds how many edges a best coupling of the two worlds, bit set
and bit not set, has to change, the edge itself counted. `edge_epsilon` turns a Pufferfish epsilon for one bit into
the ordinary privacy per bit, eta, that any mechanism may spend; `epsilon_of` is the way back. Budgets compose as eta.
Proofs are in docs/guarantees.md.

References
----------
Kifer, Machanavajjhala: Pufferfish: a framework for mathematical privacy definitions. TODS 2014.
Shafieinejad, Inan, Hasegawa, Sim: On privacy and confidentiality of communications in organizational graphs (2021).
"""

from __future__ import annotations

from collections.abc import Mapping

from entrenous.words.beliefs.belief import Belief
from entrenous.words.beliefs.correlation import Binomial, Chain
from entrenous.words.beliefs.independence import Group, Independent
from entrenous.words.beliefs.latent import Latent
from entrenous.words.beliefs.measured import Conditional, Global

__all__ = [
    "BELIEFS",
    "Belief",
    "Binomial",
    "Chain",
    "Conditional",
    "Global",
    "Group",
    "Independent",
    "Latent",
]

#: All beliefs by name: the plain one, those about what neighbours carry, and any dependence at all.
BELIEFS: Mapping[str, type[Belief]] = {
    belief.__name__: belief for belief in (Independent, Binomial, Latent, Global, Conditional, Chain, Group)
}
