"""Beliefs as files: what somebody measured on a public or retired corpus, or stated, kept to publish under it later.

A file is JSON: the format and its version, the kind of the belief, its numbers, and where they come from.

    {"format": "entrenous belief", "version": 1, "kind": "Global", "source": "public corpus", "defect": 0.0,
     "absent": {"values": [0, 5], "cases": [3, 1]}, "present": {"values": [0, 9], "cases": [1, 1]}}

Other numbers by kind: Conditional `neighbours` and `buckets` (each with `size_bucket`, `frequency_bucket` and
`fraction`), Binomial `p0`, `p1`, `neighbours`, Latent `b0`, `b1`, `neighbours`, Chain `flip`, `length`, Group `size`;
Independent has none. A private estimate also has its `confidence`. A belief that only was measured on the data itself
(`calibrated`) is written as such, and no promise may rest on it when it is read.
"""

from __future__ import annotations

import json
import math
from dataclasses import fields
from pathlib import Path
from typing import Any

from entrenous.errors import ArgumentError, FormatError, MissingDataError, OutputExistsError
from entrenous.words.beliefs.belief import SOURCES, Belief
from entrenous.words.beliefs.buckets import Bucket
from entrenous.words.pufferfish.wasserstein import Distribution

__all__ = ["read_belief", "write_belief"]

FORMAT, VERSION = "entrenous belief", 1
MOST = 10**7  # neighbours that a measured distribution speaks of
_HEAD = {"format", "version", "kind"}


def write_belief(belief: Belief, path: Path) -> None:
    """Write a belief into a new file; one that is there is not overwritten."""
    numbers = {field.name: _plain(getattr(belief, field.name)) for field in fields(belief)}
    values = {"format": FORMAT, "version": VERSION, "kind": type(belief).__name__} | numbers
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(json.dumps(values, indent=1, allow_nan=False) + "\n")
    except FileExistsError:
        raise OutputExistsError(
            f"{path.name} is already there; name a new file, nothing was overwritten"
        ) from None
    except OSError:
        raise MissingDataError(f"{path.name} cannot be written there; is the folder there?") from None


def read_belief(path: Path) -> Belief:
    """Return the belief of a file, checked: a number that is missing, unknown or of no meaning is refused."""
    from entrenous.words.beliefs import BELIEFS

    values = _read(path)
    kind = values.get("kind")
    if not isinstance(kind, str) or kind not in BELIEFS:
        raise FormatError(f"expected a kind among {', '.join(BELIEFS)}", file=path.name)
    if values.get("source") not in list(SOURCES):
        raise FormatError(f"expected a source among {', '.join(SOURCES)}", file=path.name)
    known = {field.name: field for field in fields(BELIEFS[kind])}
    given = {name: value for name, value in values.items() if name not in _HEAD}
    if unknown := sorted(given.keys() - known.keys()):
        raise FormatError(f"{kind} has no {unknown[0]!r}; expected {', '.join(known)}", file=path.name)
    try:
        return BELIEFS[kind](**{name: _typed(name, value) for name, value in given.items()})
    except ArgumentError as problem:
        raise FormatError(f"{kind}: {problem}", file=path.name) from problem
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as problem:
        wanted = ", ".join(name for name in known if name != "confidence")
        raise FormatError(f"{kind}: expected {wanted}, each as documented", file=path.name) from problem


def _read(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise MissingDataError(f"{path.name} cannot be read; is it there?") from None
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise FormatError(
            "expected JSON that `entrenous words correlate --save` wrote", file=path.name
        ) from None
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise FormatError(f'expected an object with "format": "{FORMAT}"', file=path.name)
    if values.get("version") != VERSION:
        raise FormatError(f"expected version {VERSION}; a newer program may have written it", file=path.name)
    return values


def _plain(value: Any) -> Any:
    if isinstance(value, Distribution):
        return {"values": list(value.values), "cases": list(value.cases)}
    if isinstance(value, tuple):
        return [vars(bucket) for bucket in value]
    return value


def _typed(name: str, value: Any) -> Any:
    """Return a value as a belief holds it: whole numbers whole, finite, nothing that only looks like a number."""
    if name in ("absent", "present"):
        numbers, cases = (tuple(_whole(each) for each in value[part]) for part in ("values", "cases"))
        if max(numbers) > MOST:
            raise ValueError
        return Distribution(numbers, cases)
    if name == "buckets":
        return tuple(_bucket(row) for row in value)
    if name in ("neighbours", "length", "size"):
        return _whole(value)
    if name in ("source", "from_graph") or value is None:
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError
    return float(value)


def _bucket(row: dict[str, Any]) -> Bucket:
    fraction = float(row["fraction"])
    if row.keys() != {"size_bucket", "frequency_bucket", "fraction"} or not 0 <= fraction <= 1:
        raise ValueError
    size, frequency = (_whole(row[name]) for name in ("size_bucket", "frequency_bucket"))
    if not (0 <= size <= 18 and 0 <= frequency <= 18):
        raise ValueError
    return Bucket(size, frequency, fraction)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError
    return value
