"""`entrenous words vocabulary`: which words and phrases may be published, without any list to start from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from entrenous.cli.choices import chosen
from entrenous.cli.console import FIRST_RUN, Json, note, print_json, progress
from entrenous.cli.options import (
    CuratorsPage,
    Delta,
    Epsilon,
    LongestNgrams,
    SameData,
    Seed,
    VaultFile,
    VoidPromises,
    opened_vault,
)
from entrenous.cli.words.belief_options import (
    B0,
    B1,
    P0,
    P1,
    BeliefFile,
    EstimateEpsilon,
    GroupSize,
    Neighbours,
    check_prediction,
    estimated_belief,
    stated_belief,
)
from entrenous.cli.words.engine_options import CorpusPlace, EngineName, Master, open_corpus
from entrenous.cli.words.publishing_options import (
    EdgeList,
    Predict,
    PublicFolder,
    Unit,
    checked_folder,
    on_listed_edges,
    print_promise,
    publish,
)
from entrenous.errors import ArgumentError

if TYPE_CHECKING:
    from entrenous.release import Release
    from entrenous.words.vocabulary import Vocabulary

__all__ = ["vocabulary"]

WeightingName = Annotated[
    str | None,
    chosen("weighting", "The rule of weights; by default guided, and fixed under a belief about n-grams"),
]
MostContribution = Annotated[
    int | None,
    typer.Option(min=1, help="N-grams of each edge or sender. (default: all; 1000 if not guided)"),
]
Counts = Annotated[
    bool,
    typer.Option(
        "--counts", help="Also publish how many pairs (or edges, senders) have each, from the same budget."
    ),
]


def vocabulary(
    corpus: CorpusPlace,
    epsilon: Epsilon,
    delta: Delta,
    out: PublicFolder = None,
    edges: EdgeList = None,
    unit: Unit = None,
    weighting: WeightingName = None,
    contribution: MostContribution = None,
    n: LongestNgrams = 2,
    counts: Counts = False,
    p0: P0 = None,
    p1: P1 = None,
    b0: B0 = None,
    b1: B1 = None,
    correlation: BeliefFile = None,
    neighbours: Neighbours = None,
    group: GroupSize = None,
    estimate_epsilon: EstimateEpsilon = None,
    vault: VaultFile = None,
    same_data: SameData = False,
    void_promises: VoidPromises = False,
    predict: Predict = False,
    seed: Seed = None,
    curator: CuratorsPage = None,
    engine: EngineName = "duckdb",
    master: Master = None,
    as_json: Json = False,
) -> None:
    """Draw words and phrases that may be published, and save them with their promise."""
    from entrenous.words import vocabulary as draw
    from entrenous.words.vocabulary import WEIGHTINGS, Vocabulary, VocabularyRequest

    account = None if predict else opened_vault(vault, same_data, void_promises, seed=seed)
    opened = on_listed_edges(open_corpus(corpus, engine, master), edges)
    belief = stated_belief(
        opened.largest_neighbourhood,
        correlation,
        p0=p0,
        p1=p1,
        b0=b0,
        b1=b1,
        neighbours=neighbours,
        group=group,
    )
    asked: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": delta,
        "correlation": belief,
        "contribution": contribution,
        "unit": unit,
        "weighting": weighting,
        "n": n,
        "counts": counts,
    }
    if predict:
        check_prediction(estimate_epsilon)
        _predict(opened, asked, seed, as_json=as_json)
        return
    folder = checked_folder(out, Vocabulary.empty(), curator)
    if estimate_epsilon is not None:
        if weighting is not None and not WEIGHTINGS[weighting].under_beliefs:
            raise ArgumentError("--weighting", "expected fixed weights with --estimate-epsilon")
        asked["unit"] = unit or "edge-content"
        request = VocabularyRequest.checked(**{**asked, "correlation": None})
        asked["correlation"] = estimated_belief(
            opened, estimate_epsilon, request, stated=belief is not None, vault=account, seed=seed, n=n
        )
    made = publish(
        opened, lambda tick: draw(opened, **asked, vault=account, rng=seed, progress=tick), folder, curator
    )
    if "not counted" in made.private:
        note(f"there are no counts: {made.private['not counted']}; the charge stays")
    if as_json:
        print_json(made.card.to_json() | _numbers(made, asked) | {"folder": str(folder)})
    else:
        typer.echo(f"{folder}: {len(made.artifact)} n-grams{_counts_told(made.artifact)}")
        print_promise(made, folder)


def _counts_told(words: Vocabulary) -> str:
    """Say whether there are counts, and intervals with them."""
    if words.counted is None:
        return ""
    if words.covered:
        return ", with counts, and intervals for the true numbers"
    return ", with counts; no intervals: counts leave out more than their noise; take a larger epsilon"


def _numbers(made: Release[Vocabulary], asked: dict[str, Any]) -> dict[str, Any]:
    """Return what programs ask for first: public numbers only."""
    return {
        "yield": len(made.artifact),
        "epsilon": asked["epsilon"],
        "delta": asked["delta"],
        "threshold": made.provenance.parameters["threshold for words"],
        "unit": asked["unit"] if made.guarantee is None else str(made.guarantee.unit),
    }


def _predict(opened: Any, asked: dict[str, Any], seed: int | None, *, as_json: bool) -> None:
    """Say what a release would give; nothing is charged, so it is for the curator alone."""
    from entrenous.words.vocabulary import predict as rehearse

    with progress(f"rehearsing ({FIRST_RUN})") as opened.progress:
        found = rehearse(opened, **asked, rng=0 if seed is None else seed)
    note("this prediction was made from the data and was not paid for: do not publish it")
    support = found.support
    resting = {} if support is None else support.resting
    if as_json:
        numbers = {name: value for name, value in vars(found).items() if name != "support"}
        print_json({"private": numbers | ({"resting on": resting} if resting else {})})
        return
    typer.echo(
        f"threshold {found.threshold:.4g}, within reach {found.reach:.4g}: {found.occurring} n-grams that "
        f"occur, {found.never_seen} that noise alone would name"
    )
    if resting:
        told = ", ".join(f"{number} on {what}" for what, number in resting.items())
        typer.echo(f"of those that occur there rest {told}; near-copies of a message count as one")
