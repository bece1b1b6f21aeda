"""What the service refuses, as exceptions whose messages may be shown to whoever asked.

Unknown and forbidden are one exception with one message: an answer must not tell which of the two it was.
"""

from __future__ import annotations

from entrenous.errors import EntrenousError, InputError

__all__ = ["Busy", "Conflict", "NotFound", "SignInFailed", "UploadRefused"]


class NotFound(EntrenousError):  # noqa: N818 - reads as what happened
    """There is no such thing, or not for this person."""

    def __init__(self) -> None:
        super().__init__("there is nothing here, or nothing that you may see")


class Conflict(EntrenousError):  # noqa: N818 - reads as what happened
    """The thing is there, but not in a state that allows this; `code` is for programs, the message for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Busy(EntrenousError):  # noqa: N818 - reads as what happened
    """So many passwords are being checked at this moment that one more would wait too long."""

    seconds = 10

    def __init__(self) -> None:
        super().__init__("Too many people are signing in at this moment. Please try again in some seconds.")


class SignInFailed(EntrenousError):  # noqa: N818 - reads as what happened
    """Signing in through a provider did not work; the message is always the same and does not tell where."""

    def __init__(self) -> None:
        super().__init__("Signing in with the other service did not work. Please try again.")


class UploadRefused(InputError):  # noqa: N818 - reads as what happened
    """An upload is not accepted; `code` says why in a word, `status` and `headers` in the language of HTTP."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.status = {"too_large": 413, "busy": 503}.get(code, 422)
        self.headers = {"retry-after": "60"} if code == "busy" else {}
