"""From the body of a message to the words its sender wrote.

`markup` turns HTML into lines, `cutting` leaves out what is quoted or forwarded (`reply_headers`) and signed
(`signatures`), `splitting` finds the words, `segmentation` does it where a script has no blanks. `language` is what a
publisher states about a corpus; nothing here depends on it.
"""

from entrenous.words.reading.text.cutting import new_subject, new_text
from entrenous.words.reading.text.splitting import words_of

__all__ = ["new_subject", "new_text", "words_of"]
