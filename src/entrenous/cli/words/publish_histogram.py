"""`entrenous words histogram`: how many edges carry each n-gram of a public list."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entrenous.cli.choices import chosen
from entrenous.cli.console import FIRST_RUN, Json, note, print_json, progress
from entrenous.cli.options import (
    CuratorsPage,
    Epsilon,
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
from entrenous.errors import FormatError, MissingDataError, PrivacyError

if TYPE_CHECKING:
    from entrenous.release import Release
    from entrenous.words.histogram import Histogram
    from entrenous.words.vocabulary import Vocabulary

__all__ = ["histogram", "read_vocabulary"]

PublicList = Annotated[
    Path,
    typer.Option(
        help="The public n-grams, one a line; or the folder of a published vocabulary.", metavar="FILE"
    ),
]
Contribution = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="N-grams for which each edge, or whoever else is counted, counts fully. "
        "(default: chosen privately, at 4 % of the budget)",
    ),
]
NoiseName = Annotated[str, chosen("noise", "The noise on every count")]
NeededDelta = Annotated[float | None, typer.Option(help="What may be lost; Gaussian noise needs it.")]
Replaced = Annotated[
    bool, typer.Option("--replaced", help="Also hide that a content was replaced by another.")
]
Useless = Annotated[
    bool, typer.Option("--useless", help="Draw even if the noise exceeds every possible count.")
]


def histogram(
    corpus: CorpusPlace,
    vocabulary: PublicList,
    epsilon: Epsilon,
    contribution: Contribution = None,
    out: PublicFolder = None,
    edges: EdgeList = None,
    unit: Unit = None,
    noise: NoiseName = "geometric",
    delta: NeededDelta = None,
    p0: P0 = None,
    p1: P1 = None,
    b0: B0 = None,
    b1: B1 = None,
    correlation: BeliefFile = None,
    neighbours: Neighbours = None,
    group: GroupSize = None,
    estimate_epsilon: EstimateEpsilon = None,
    replaced: Replaced = False,
    useless: Useless = False,
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
    """Draw noisy counts that may be published, and save them with their promise."""
    from entrenous.words import histogram as draw
    from entrenous.words.histogram import Histogram, HistogramRequest, listed_ngrams

    account = None if predict else opened_vault(vault, same_data, void_promises, seed=seed)
    listed = read_vocabulary(vocabulary, rehearsal=seed is not None or predict)
    opened = on_listed_edges(open_corpus(corpus, engine, master), edges)
    numbers: dict[str, Any] = {
        "epsilon": epsilon,
        "contribution": contribution,
        "unit": unit,
        "noise": noise,
        "delta": delta,
        "replaced": replaced,
    }
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
    if predict:
        check_prediction(estimate_epsilon)
        _predict(opened, {**numbers, "vocabulary": listed, "correlation": belief}, as_json=as_json)
        return
    folder = checked_folder(out, Histogram.empty(), curator)
    if estimate_epsilon is not None:
        numbers["unit"] = unit or "edge-content"
        names, _ = listed_ngrams(listed, rehearsal=seed is not None)
        belief = estimated_belief(
            opened, estimate_epsilon, HistogramRequest.checked(**numbers),
            stated=belief is not None, vault=account, seed=seed, vocabulary=list(names),
        )  # fmt: skip
    asked: dict[str, Any] = {**numbers, "vocabulary": listed, "correlation": belief, "useless": useless}
    made = publish(
        opened, lambda tick: draw(opened, **asked, vault=account, rng=seed, progress=tick), folder, curator
    )
    if as_json:
        print_json(made.card.to_json() | _numbers(made) | {"folder": str(folder)})
    else:
        typer.echo(f"{folder}: {len(made.artifact)} n-grams, {made.artifact.above_noise()} above the noise")
        typer.echo(_what_counts(made))
        print_promise(made, folder)


def read_vocabulary(
    path: Path, *, rehearsal: bool, option: str = "--vocabulary"
) -> list[str] | Release[Vocabulary]:
    """Read a public list from a text file, lines that start with # being notes, or a vocabulary with its card.

    Parameters
    ----------
    path
        The file, or the folder of a published vocabulary.
    rehearsal
        Whether a vocabulary that a rehearsal published will do.
    option
        What the file was given as, for errors.
    """
    from entrenous.noise import REHEARSAL
    from entrenous.words.vocabulary import VOCABULARY

    if path.is_dir() or (path.name.startswith("vocabulary.") and VOCABULARY.is_in(path.parent)):
        return VOCABULARY.read_release(path if path.is_dir() else path.parent)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        raise MissingDataError(f"{option}: {path.name} cannot be read; is it there?") from None
    except UnicodeDecodeError:
        raise FormatError("expected text in UTF-8, one n-gram a line", file=path.name) from None
    if f"# {REHEARSAL}" in lines and not rehearsal:
        raise PrivacyError(f"{option}: expected a public list; got a rehearsal's, which promises nothing")
    listed = (" ".join(line.split()) for line in lines)
    return [line for line in listed if line and not line.startswith("#")]


def _what_counts(made: Release[Histogram]) -> str:
    """Say what a count counts, and how far it may be off."""
    words, parameters = made.artifact, made.provenance.parameters
    text = (
        f"a count is the number of {parameters['a count counts']}; contribution {parameters['contribution']}"
    )
    if words.covered:
        return f"{text}; intervals for the true numbers are given"
    if words.correction is None:
        return f"{text}; no intervals: what bounding leaves out was not measured"
    advice = "leave --contribution out, so that it is chosen"
    if parameters["contribution chosen"] == "privately":
        advice = "take a larger epsilon" + (
            "" if parameters["noise"] == "gaussian" else ", or --noise gaussian"
        )
    return f"{text}; no intervals: counts leave out more than their noise; {advice}"


def _numbers(made: Release[Histogram]) -> dict[str, Any]:
    """Return what programs ask for first: public numbers only."""
    return {
        "ngrams": len(made.artifact),
        "scale": made.artifact.noise.scale,
        "deviation": made.artifact.noise.deviation,
        "above_noise": made.artifact.above_noise(),
        "contribution": made.provenance.parameters["contribution"],
        "intervals": made.artifact.covered,
    }


def _predict(opened: Any, asked: dict[str, Any], *, as_json: bool) -> None:
    """Say what a release would be worth; nothing is charged, so it is for the curator alone."""
    from entrenous.words.histogram import predict

    with progress(f"counting ({FIRST_RUN})") as opened.progress:
        found = predict(opened, **asked)
    note("this prediction was made from the data and was not paid for: do not publish it")
    if as_json:
        print_json({"private": vars(found)})
    else:
        typer.echo(
            f"error of a count {found.rmse:.4g} ({found.clipped_rmse:.4g} with negative counts set to 0), "
            f"what bounding leaves out included, which is {found.bias:.4g} before it is added again; "
            f"{found.above:.0f} n-grams above the noise"
        )
