"""Mailing lists: addresses that receive, never send, and stand for many.

A public directory names lists and their members. Where it does not, a list is inferred from the mail itself; who its
members are then stays unknown, and mail to it reaches nobody. Only mail as it travelled is looked at: whoever made a
table of messages has said who their persons are. Inference looks at the data, which no guarantee covers:
whoever publishes must say so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from entrenous.words.counting.engines import Engine

__all__ = ["INFERRED", "WRITERS", "inferred_lists"]

INFERRED = (
    "mailing lists were inferred from the mail itself (addresses that receive and never send, and stand for many by "
    "a header, by their name or by the copies found); which edges there are depends on that"
)
WRITERS = (
    "whom a message in a channel or chat went to was inferred, where an export does not name its members, from who "
    "wrote there; which edges there are depends on that"
)
SENDERS = 2  # how many people must have written to an address for its name to count
_NAME = re.compile(
    r"(?:^|[._\-+])(?:dl|all|lists?|group|team|everyone|staff|employees|distribution|announce(?:ments?)?|"
    r"undisclosed|subscribers|members)(?:$|[._\-+\d])"
)


def inferred_lists(engine: Engine) -> set[int]:
    """Return the addresses that the messages and their copies (tables `messages`, `copies`) show to be mailing lists.

    Each receives and never sends, and a header calls it a list, or its name says so and several people wrote to it,
    or a message was found in more mailboxes than its sender and recipients have, and this recipient alone of all
    never writes.
    """
    engine.rows(
        """CREATE OR REPLACE TEMP TABLE silent AS
        SELECT address, count(DISTINCT sender) AS senders
        FROM (SELECT unnest(recipients) AS address, sender FROM messages JOIN copies USING (message)
            JOIN sources USING (source) WHERE kind = 'mail')
        WHERE address NOT IN (SELECT sender FROM kept WHERE sender IS NOT NULL) GROUP BY address"""
    )
    named = engine.rows("SELECT address, name, senders FROM silent JOIN addresses USING (address)")
    by_name = {
        address
        for address, name, senders in named
        if senders >= SENDERS and _NAME.search(name.partition("@")[0])
    }
    by_header = engine.rows("SELECT DISTINCT address FROM silent JOIN list_headers USING (address)")
    by_copies = engine.rows(
        """WITH copies AS (
            SELECT any_value(recipients) AS recipients, count(DISTINCT mailbox) AS mailboxes
            FROM messages JOIN sources USING (source) WHERE content IS NOT NULL GROUP BY content),
        suspects AS (
            SELECT recipients, unnest(recipients) AS address FROM copies WHERE mailboxes > len(recipients) + 1)
        SELECT any_value(address) FROM suspects JOIN silent USING (address)
        GROUP BY recipients HAVING count(*) = 1"""
    )
    return by_name | {address for (address,) in [*by_header, *by_copies]}
