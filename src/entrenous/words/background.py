"""Everyday English: how often common words are said, roughly, so that words of an organization stand out from them.

The table is the project's own, from general knowledge and in round numbers: words per million of ordinary letters and
talk. Words it does not have are taken to be rarer than all that it has. A real frequency list is read with `read`.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from entrenous.errors import FormatError, MissingDataError

__all__ = ["EVERYDAY", "Background"]

_PER_MILLION: Mapping[int, str] = {
    50_000: "the",
    25_000: "to of and a i in",
    12_000: "is that you it for",
    7_000: "on be this with we have as are not at will was if or",
    4_000: "your by from but my he they me an can all so what do would there our about which",
    2_000: "has up out one please she no just been any who her his when were more know get time like their "
    "new how some should could had may also these now need let go only other than them us day see call "
    "am then it's i'm don't into him its make here did think want very over work good back",
    1_000: "after first two where way last well take next much because does use those too even most week "
    "before same year today down being off thanks thank still each through look help give between made "
    "many both right under such people going sure it'll i'll that's i've he's we're you're there's can't "
    "might must while own around every long again off really few said say come since another per end",
    500: "something anything used find part place put keep three great best set might able however using under "
    "change number name question questions information send sent meeting tomorrow yesterday monday tuesday "
    "wednesday thursday friday month best free made done got never always didn't i'd let's we'll you'll won't "
    "doesn't isn't they're we've you've what's without within during following against until date list working "
    "start available report business company group office phone email mail attached below forward hope "
    "contact plan issue issues problem read little old big man feel life world home thing things tell",
    250: "house area both yet though several however different possible early late later soon already once "
    "nothing someone everyone anyone else enough far kind lot better least less small large high low full open "
    "close run try left hard real true order state case point line side hand head money pay paid cost free "
    "second third four five six ten half another whole important interested interest regards sincerely dear hi "
    "hello fax message messages request review comments draft copy note letter number address web site page "
    "system service services team management manager project process program public support provide follow "
    "include including included needs needed looking getting making taking doing having coming called wanted "
    "think thought believe understand remember ask asked asking talk told speak speaking saw seen show shown "
    "morning afternoon evening night weekend days weeks months years hours hour minutes january february march "
    "april june july august september october november december saturday sunday please schedule scheduled fine "
    "nice happy sorry glad love family friend friends school children wife husband mother father son daughter "
    "city country national american water food game play car book room door face eyes body health war law "
    "couldn't wouldn't wasn't aren't haven't hasn't she's who's they'll he'll i'd you'd we'd they've weren't "
    "shouldn't above between among across toward upon whether either neither nor per via re etc ok okay yes oh",
    120: "write wrote written hear heard move moved turn turned stop begin began bring brought happen happened "
    "become became leave leaving stay wait waiting meet met buy bought sell sold build built lose lost win "
    "hold held stand stood sit watch watched walk drive drove eat drink sleep learn learned teach study live "
    "lived die died kill grow grew open opened close closed add added allow allowed agree agreed expect expected "
    "consider considered continue continued create created decide decided discuss discussed "
    "ensure explain final further general give given gives goes gone idea ideas increase involved issue "
    "join keep kept known latest level likely local main major mean means mind move near necessary "
    "offer often original particular past period person position power present probably quick quickly "
    "quite rather reason receive received recent recently related reply required response result results "
    "return returned save section seems seem send sending several short sign similar simple single situation "
    "special specific staff step subject suggest suggestions table term terms test together top total toward "
    "type types understanding unless update updated upon usually value various view visit voice "
    "white black red green blue young women men woman girl boy child human government president market "
    "price prices buy product products customer customers account accounts access bank data file files form "
    "forms computer internet online click link site download user users password email emails mailing "
    "address attach attachment attachments forwarded fyi cc pm est copy original wrote confirm confirmed "
    "appreciate appreciated assistance cheers concerns convenience department detail details discussion "
    "effective effort employee employees event events feedback file following goal handle immediately "
    "join lunch dinner memo month monthly weekly daily objective opportunity option options organization "
    "package party paper papers participate personal policy prepared previous prior problem problems progress "
    "proposal proposed purpose quarter regarding register release remain remaining report reports "
    "resources responsible review role sales sections sheet software status summary task "
    "tonight training travel trip trying vacation version wish wonderful worked works "
    "talked talking meetings calls calling numbers names changes changed plans points parts times ways "
    "questions lists people's today's company's year's anybody everybody nobody somebody everything "
    "anyway maybe perhaps certainly clearly exactly especially finally generally currently actually basically "
    "directly easily easy difficult early earlier ago almost along although away behind beyond deal "
    "despite due except instead outside inside onto per since therefore thus throughout together "
    "ready set apart sort stuff guy guys fun great cool hot cold warm dark light clear clean fast slow",
}
_COMMONEST = 1_000  # per million words
_UNKNOWN = 0.5  # words that a table does not have are so much rarer than its rarest
_TOGETHER = 4.0  # everyday words stand together so much more often than if they were drawn one by one


@dataclass(frozen=True)
class Background:
    """How often n-grams are said elsewhere: a public list, which owes nothing to the mail.

    Attributes
    ----------
    frequency
        The n-grams it has, and how often each is said, per million words.

    Examples
    --------
    >>> EVERYDAY.of("the") > EVERYDAY.of("meeting") > EVERYDAY.of("pipeline")
    True
    >>> EVERYDAY.is_filler("of the"), EVERYDAY.is_filler("the pipeline"), EVERYDAY.is_filler("gas pipeline")
    (True, True, False)
    """

    frequency: Mapping[str, float] = field(repr=False)

    @property
    def least(self) -> float:
        """How often what the list does not have is taken to be said."""
        return _UNKNOWN * min(self.frequency.values())

    def of(self, ngram: str) -> float:
        """Return how often an n-gram is said per million words, roughly."""
        if ngram in self.frequency or " " not in ngram:
            return self.frequency.get(ngram, self.least)
        words = ngram.split(" ")
        together = math.prod(self.of(word) / 1e6 for word in words) * _TOGETHER ** (len(words) - 1)
        return max(1e6 * together, self.least / 4)  # rarer ones are all the same to such a list

    def is_filler(self, ngram: str) -> bool:
        """Tell whether an n-gram is one of the commonest words or a letter, or a phrase that begins or ends with one.

        Such phrases are rather parts of one; and how often people say "this" is a matter of style.
        """
        words = ngram.split(" ")
        return any(len(word) == 1 or self.of(word) >= _COMMONEST for word in (words[0], words[-1]))

    @classmethod
    def read(cls, path: str | Path) -> Background:
        """Read a public table of n-grams and how often each is said: two columns, with commas or tabs.

        Any unit will do, it is scaled so that all single words together make a million. Lines that begin with # and a
        heading are left out.
        """
        path = Path(path)
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except OSError:
            raise MissingDataError(f"{path.name} cannot be read; is it there?") from None
        except UnicodeDecodeError:
            raise FormatError(
                "expected text in UTF-8, an n-gram and its frequency a line", file=path.name
            ) from None
        found: dict[str, float] = {}
        for number, line in enumerate(lines, start=1):
            if not line.strip() or line.startswith("#"):
                continue
            row = next(csv.reader([line], delimiter="\t" if "\t" in line else ","))
            try:
                value = float(row[1])
            except (IndexError, ValueError):
                if not found and number <= len(lines) and len(row) == 2:  # a heading
                    continue
                raise FormatError("expected an n-gram and a number", file=path.name, line=number) from None
            if not 0 < value < math.inf:
                raise FormatError("expected a frequency above 0", file=path.name, line=number)
            found[" ".join(row[0].lower().split())] = value
        total = sum(value for name, value in found.items() if " " not in name)
        if not total:
            raise FormatError("expected single words with their frequencies", file=path.name)
        return cls({name: 1e6 * value / total for name, value in found.items()})


def _everyday() -> Background:
    """Return the table, each word where it is said most often."""
    found: dict[str, float] = {}
    for frequency, words in _PER_MILLION.items():
        for word in words.split():
            found.setdefault(word, float(frequency))
    return Background(found)


EVERYDAY = _everyday()
"""Everyday English in a few hundred words, in letters and talk."""
