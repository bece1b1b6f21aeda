"""The pages people see, one file per group."""

from __future__ import annotations

from fastapi import APIRouter

from entrenous.web.pages import account, admin, answers, friends, home, playground, sharing, welcome

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
for group in (welcome, home, friends, sharing, answers, account, admin, playground):
    router.include_router(group.router)
