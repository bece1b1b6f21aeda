"""Publish what an organization talks about, without what anyone said.

Mail becomes a `Corpus`: persons, the edges between them and the n-grams that passed on each. What neighbouring edges
say about each other is a belief (`Binomial`, `Global`, ...); under it `histogram` publishes how many edges carry the
n-grams of a public vocabulary, and `vocabulary` which n-grams there are. These two names are the functions; what else
their modules hold is imported by its own name, as in `from entrenous.words.vocabulary import predict`.
"""

from __future__ import annotations

from entrenous.words.beliefs import Binomial, Chain, Conditional, Global, Group, Independent, Latent
from entrenous.words.corpus import Corpus
from entrenous.words.costs import compare
from entrenous.words.frequency import idf, tf_idf
from entrenous.words.histogram import Histogram, histogram
from entrenous.words.key_phrases import key_phrases
from entrenous.words.pufferfish import Distribution
from entrenous.words.reading.directory import Directory
from entrenous.words.reading.public_edges import PublicEdges
from entrenous.words.vocabulary import Vocabulary, vocabulary

__all__ = [
    "Binomial",
    "Chain",
    "Conditional",
    "Corpus",
    "Directory",
    "Distribution",
    "Global",
    "Group",
    "Histogram",
    "Independent",
    "Latent",
    "PublicEdges",
    "Vocabulary",
    "compare",
    "histogram",
    "idf",
    "key_phrases",
    "tf_idf",
    "vocabulary",
]
