"""Errors as problem details, the JSON that HTTP interfaces agree on.

A problem has a stable `type` to program against and a `detail` for people. Neither quotes what was sent: a
score that was refused must not turn up in somebody's log.

References
----------
M. Nottingham, E. Wilde and S. Dalal, "Problem Details for HTTP APIs", RFC 9457, 2023.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

__all__ = ["MEDIA_TYPE", "Problem", "invalid_fields"]

MEDIA_TYPE = "application/problem+json"


@dataclass
class Problem(Exception):  # noqa: N818 - named after the standard it follows
    """An answer other than success, for the interface and, as a page, for people.

    >>> Problem(404, "not-found", "There is nothing here that you can see.").to_dict()["title"]
    'Not Found'
    """

    status: int
    kind: str
    detail: str
    fields: Sequence[Mapping[str, str]] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The status in words."""
        return HTTPStatus(self.status).phrase

    def to_dict(self) -> dict[str, Any]:
        """Return the problem ready for JSON."""
        entry: dict[str, Any] = {
            "type": f"urn:entrenous:problem:{self.kind}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
        }
        if self.fields:
            entry["fields"] = [dict(place) for place in self.fields]
        return entry

    def response(self) -> Response:
        """Return the problem as an answer of the interface."""
        return Response(
            json.dumps(self.to_dict()), self.status, headers=dict(self.headers), media_type=MEDIA_TYPE
        )


def invalid_fields(errors: Sequence[Mapping[str, Any]]) -> Problem:
    """Return the problem for a body that does not fit its schema: where and what was expected, never the value."""
    places = [
        {
            "field": ".".join(str(part) for part in error["loc"][1:]) or str(error["loc"][0]),
            "expected": error["msg"],
        }
        for error in errors
    ]
    return Problem(422, "invalid", "Some fields do not fit; see `fields`.", places[:20])
