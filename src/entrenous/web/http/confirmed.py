"""Pages on which ways to sign in change ask once more who somebody is: a stolen session must not plant a key."""

from __future__ import annotations

from starlette.requests import Request

from entrenous.web.http.visits import Acting, acting, service
from entrenous.web.identity import keyring

__all__ = ["ConfirmationNeeded", "freshly_acting"]


class ConfirmationNeeded(Exception):  # noqa: N818 - not an error: the answer is the way to the question
    """Whoever is signed in has to show that it is them; `back` is where to go on afterwards."""

    def __init__(self, back: str) -> None:
        super().__init__(back)
        self.back = back


def freshly_acting(request: Request, *, back: str = "/account") -> Acting:
    """Return who is about to change something, if they signed in or confirmed in the last minutes."""
    me = acting(request)
    with service(request).database.reading() as session:
        if not keyring.is_fresh(session, me.session_id):
            raise ConfirmationNeeded(back)
    return me
