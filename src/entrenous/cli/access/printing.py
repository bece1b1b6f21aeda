"""Lines on the screen, whatever is in them."""

from __future__ import annotations

from typing import Any

__all__ = ["plain_text", "print_lines"]


def plain_text(content: str) -> Any:
    """Return text that a table prints as it is: a name may look like markup or hold control codes."""
    from rich.text import Text

    return Text("".join(character if character.isprintable() else "�" for character in content))


def print_lines(*lines: str) -> None:
    """Print lines as they are, and break none."""
    from rich.console import Console

    console = Console(soft_wrap=True)
    for line in lines:
        console.print(plain_text(line))
