"""`entrenous attack audit`: every mechanism with a planted secret and without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from entrenous.cli.attack.results import Page, finish, print_findings
from entrenous.cli.console import FIRST_RUN, Json, note, progress
from entrenous.cli.options import Seed, check_curators_page

if TYPE_CHECKING:
    from entrenous.attack import Replay

__all__ = ["audit"]

_NEIGHBOURS = 12  # of each release that is replayed


def audit(
    setting: Annotated[
        list[str] | None, typer.Option(help="Only this setting; may be given several times. (default: all)")
    ] = None,
    broken: Annotated[
        bool,
        typer.Option("--broken", help="Audit mechanisms that were broken on purpose: all must be caught."),
    ] = False,
    effort: Annotated[float, typer.Option(min=0.01, help="So many times the runs of the short audit.")] = 1.0,
    processes: Annotated[
        int | None,
        typer.Option(min=1, help="How many processes share the runs. (default: one per core)"),
    ] = None,
    seed: Seed = None,
    out: Page = None,
    as_json: Json = False,
) -> None:
    """Run every mechanism with a planted secret and without, and bound from below what it gives away.

    Without --setting and --broken also low bits of released numbers, several releases without a vault, and a message to
    sixty people are tried, and a release of every kind is recorded and replayed on neighbouring data.
    The exit code is 1 if a promise was broken; with --broken, if one of the broken mechanisms was not caught.
    """
    from entrenous import attack
    from entrenous._parallel import threads

    if out is not None:
        check_curators_page(out)
    with progress(f"running every mechanism ({FIRST_RUN})") as tick:
        found = attack.audit_settings(
            setting, broken=broken, effort=effort, rng=seed, processes=processes or threads(), progress=tick
        )
        if not setting and not broken:
            found += attack.low_bits(rng=seed)
            found += attack.linkage(epsilon=1.0, trials=300, rng=seed)
            found += attack.broadcasts(rng=seed)
    replayed = _replays(seed) if not setting and not broken else []
    page = None
    if out is not None:
        from entrenous.attack.audit_page import audit_report

        noise = "real" if seed is None else "rehearsal: from a known seed"
        facts = [("settings", str(len(found))), ("effort", f"{effort:g}"), ("noise", noise)]
        facts += [("replays", str(len(replayed)))] if replayed else []
        page = audit_report(found, facts, broken=broken, replays=replayed)
    found += [each.finding() for each in replayed]
    finish(page, out, [each.to_json() for each in found] if as_json else None)
    if not as_json:
        print_findings(found, broken=broken)
        if seed is not None:
            typer.echo("A rehearsal: the noise came from a known seed.")
    wrong = sum(each.broken != broken for each in found if each.stated is not None)
    if wrong:
        note(f"{wrong} of {len(found)} {'were not caught' if broken else 'promises were broken'}")
        raise typer.Exit(1)


def _replays(seed: int | None) -> list[Replay]:
    """Record and replay a release of every kind."""
    from entrenous import attack

    with progress("replaying a release of every kind") as tick:
        return attack.replays(neighbours=_NEIGHBOURS, rng=seed, progress=tick)
