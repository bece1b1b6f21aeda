"""`entrenous words`: publish what an organization talks about, without what anyone said."""

from __future__ import annotations

from entrenous.cli.choices import Noun
from entrenous.cli.words.compare import compare
from entrenous.cli.words.correlate import correlate
from entrenous.cli.words.publish_histogram import histogram
from entrenous.cli.words.publish_vocabulary import vocabulary
from entrenous.cli.words.read import read
from entrenous.cli.words.telling_words import idf, keyphrases

__all__ = ["app"]

app = Noun("Publish what an organization talks about, without what anyone said.")
app.command()(read)
app.command()(correlate)
app.command()(histogram)
app.command()(vocabulary)
app.command()(compare)
app.command()(keyphrases)
app.command()(idf)
