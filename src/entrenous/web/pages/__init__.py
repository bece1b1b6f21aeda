"""The pages people see: one table of them, from which come routes, menus and the tests that visit every page.

A new page is a function in one of these files (or in a new one), a template, and a row of `PAGES`.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

from fastapi import APIRouter, Depends

from entrenous.web.http.visits import count_address
from entrenous.web.pages import (
    account,
    admin,
    answers,
    ceremonies,
    changing,
    friends,
    home,
    one_time,
    playground,
    sharing,
    welcome,
)
from entrenous.web.store.records import Person

__all__ = ["PAGES", "Page", "router"]

ANYBODY, GUESTS, MEMBERS, ADMINISTRATORS = "anybody", "guests", "members", "administrators"


@dataclass(frozen=True)
class Page:
    """A page, and from where every other page links to it.

    Parameters
    ----------
    path
        Its address.
    file
        The module that answers.
    readers
        Who may open it: anybody, members or administrators.
    name
        What links call it.
    top, menu, foot
        Who finds a link to it at the top, in the own menu and at the foot of every page; empty for nobody.
    """

    path: str
    file: ModuleType
    readers: str = MEMBERS
    name: str = ""
    top: str = ""
    menu: str = ""
    foot: str = ""

    def linked(self, where: str, person: Person | None) -> bool:
        """Return whether a person finds a link to this page at the top, in the menu or at the foot."""
        groups = {ANYBODY, GUESTS if person is None else MEMBERS}
        if person is not None and person.admin:
            groups.add(ADMINISTRATORS)
        return getattr(self, where) in groups


PAGES = (
    Page("/", home, ANYBODY, "Home", top=MEMBERS),
    Page("/items/new", sharing, name="Add", top=MEMBERS),
    Page("/gallery", sharing, ANYBODY, "Gallery", top=ANYBODY),
    Page("/of-me", sharing, name="With me", top=MEMBERS),
    Page("/friends", friends, name="Friends", top=MEMBERS),
    Page("/how", welcome, ANYBODY, "How it works", top=GUESTS, foot=ANYBODY),
    Page("/sign-in", welcome, ANYBODY, "Sign in", top=GUESTS),
    Page("/register", welcome, ANYBODY),
    Page("/forgot", one_time, ANYBODY),
    Page("/reset", one_time, ANYBODY),
    Page("/confirm", one_time, ANYBODY),
    Page("/administer", one_time, ANYBODY),
    Page("/first-steps", welcome),
    Page("/waiting", home),
    Page("/mine", home, name="What I share", menu=MEMBERS),
    Page("/notifications", home, name="Notifications", menu=MEMBERS),
    Page("/listening", friends, name="Whom I listen to", menu=MEMBERS),
    Page("/circles", friends, name="Circles", menu=MEMBERS),
    Page("/standing-line", answers, name="If I do not answer", menu=MEMBERS),
    Page("/history", home, name="History", menu=MEMBERS),
    Page("/account", account, name="Account", menu=MEMBERS),
    Page("/account/passkeys", ceremonies),
    Page("/account/confirm", ceremonies),
    Page("/admin", admin, ADMINISTRATORS, "Admin", menu=ADMINISTRATORS),
    Page("/playground", playground, ANYBODY, "Playground", foot=ANYBODY),
    Page("/my-data", home, name="My data", foot=MEMBERS),
    Page("/items/{item}", sharing, ANYBODY),
    Page("/items/{item}/view", answers),
    Page("/items/{item}/limit", answers),
    Page("/items/{item}/petition", answers),
    Page("/items/{item}/receipt", answers),
    Page("/items/{item}/change", changing),
)

router = APIRouter(include_in_schema=False, dependencies=[Depends(count_address)])
for file in dict.fromkeys(page.file for page in PAGES):
    router.include_router(file.router)
