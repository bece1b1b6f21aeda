"""`entrenous words correlate`: what neighbouring edges give away about each other, and the noise that hides it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entrenous.cli.choices import chosen
from entrenous.cli.console import FIRST_RUN, Json, note, print_json, print_table, progress
from entrenous.cli.words.belief_options import B0, B1, P0, P1
from entrenous.cli.words.engine_options import EngineName, Master, open_corpus
from entrenous.errors import ArgumentError, MissingDataError, OutputExistsError

if TYPE_CHECKING:
    from entrenous.words.beliefs import Belief
    from entrenous.words.beliefs.buckets import Bucket
    from entrenous.words.corpus import Corpus
    from entrenous.words.counting.table import NeighbourCounts

__all__ = ["correlate"]

FITTED = "PUBLIC CORPUS: fitted to a corpus that is public or retired; promises may rest on this."
PRIVATE = "CALIBRATED: {text}. What follows is private: it was measured on the corpus itself."


def correlate(
    corpus: Annotated[
        str | None,
        typer.Argument(
            help="A corpus that `read` wrote, on Spark also messages; without one: state p0, p1, neighbours."
        ),
    ] = None,
    p0: P0 = None,
    p1: P1 = None,
    b0: B0 = None,
    b1: B1 = None,
    neighbours: Annotated[
        int | None,
        typer.Option(
            min=0, help="The most neighbours of an edge, where words will be published. (default: CORPUS's)"
        ),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(help="Also say which noise hides one n-gram of one edge with this epsilon."),
    ] = None,
    defect: Annotated[
        float, typer.Option(help="How much probability the coupling of both worlds may leave over.")
    ] = 0.0,
    public: Annotated[
        bool, typer.Option("--public", help="CORPUS is public or retired: none of it is to be protected.")
    ] = False,
    n: Annotated[int, typer.Option("--n", min=1, help="The longest n-grams to count.")] = 2,
    out: Annotated[
        Path | None, typer.Option(help="Write pictures into this new folder.", metavar="DIR")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            help="Write a belief into this new file, for `--correlation`; a corpus must be public.",
            metavar="FILE",
        ),
    ] = None,
    belief: Annotated[str | None, chosen("measured belief", "Which of the measured beliefs to save")] = None,
    engine: EngineName = "duckdb",
    master: Master = None,
    as_json: Json = False,
) -> None:
    """Say how far apart an edge's two worlds are, and which edge-level budget hides it."""
    ranges = {"p0": p0, "p1": p1, "b0": b0, "b1": b1}
    if corpus is None:
        _stated(ranges, neighbours, epsilon, defect, out, save, as_json=as_json)
    elif any(value is not None for value in ranges.values()):
        raise ArgumentError("--p0, --p1, --b0, --b1", "expected a corpus, or a stated range; got both")
    else:
        _check_saved(save, belief, public=public)
        if out is not None:
            _check_folder(out)
        opened = open_corpus(corpus, engine, master)
        models = _measured(opened, neighbours, epsilon, defect, public, n, out, as_json=as_json)
        if save is not None and belief is not None:
            _save(models[belief], save)


def _check_saved(save: Path | None, belief: str | None, *, public: bool) -> None:
    """Refuse, before anything is counted, to save a belief that nobody could publish under."""
    if (save is None) != (belief is None):
        raise ArgumentError(
            "--save, --belief", "expected both or none: a file, and the belief to write into it"
        )
    if save is not None and not public:
        raise ArgumentError(
            "--save", "expected a corpus that is --public: what others measure promises nothing"
        )
    if save is not None and save.exists():
        raise OutputExistsError(f"{save.name} is already there; name a new file, nothing was overwritten")


def _save(model: Belief, save: Path) -> None:
    from entrenous.words.beliefs.belief_file import write_belief

    write_belief(model, save)
    note(f"the belief is in {save}: hand it in with --correlation")


def _stated(
    ranges: dict[str, float | None],
    neighbours: int | None,
    epsilon: float | None,
    defect: float,
    out: Path | None,
    save: Path | None,
    *,
    as_json: bool,
) -> None:
    """Answer from a stated range."""
    from entrenous.words.beliefs import Binomial, Latent

    p0, p1, b0, b1 = ranges.values()
    model: Belief
    if p0 is not None and p1 is not None and neighbours is not None and b0 is b1 is None:
        model = Binomial(p0, p1, neighbours, defect=defect)
    elif b0 is not None and b1 is not None and neighbours is not None and p0 is p1 is None:
        model = Latent(b0, b1, neighbours, defect=defect)
    else:
        raise ArgumentError(
            "--p0, --p1, --neighbours",
            "expected all three, or --b0, --b1 and --neighbours, or a corpus to measure on",
        )
    if out is not None:
        raise ArgumentError("--out", "expected a corpus to draw pictures of")
    if save is not None:
        _save(model, save)
    values = _answers(model, epsilon)
    if as_json:
        print_json(values)
        return
    _print_models({type(model).__name__: values})
    typer.echo(model.assumption)


def _measured(
    opened: Corpus,
    neighbours: int | None,
    epsilon: float | None,
    defect: float,
    public: bool,
    n: int,
    out: Path | None,
    *,
    as_json: bool,
) -> dict[str, Belief]:
    """Answer from a corpus: a fit if it is public, a calibration if not."""
    from entrenous.words.beliefs.belief import CALIBRATED
    from entrenous.words.beliefs.buckets import buckets

    with progress(f"counting what neighbours carry ({FIRST_RUN})") as opened.progress:
        counts = opened.neighbour_counts(n=n)
    largest = opened.largest_neighbourhood if neighbours is None else neighbours
    rows = buckets(counts)
    models = _models(counts, largest, defect)
    if not public:
        models = {name: model.disclaimed() for name, model in models.items()}
    if out is not None:
        _write_pictures(out, counts, rows, largest, public=public)
        if not public:
            note(f"the pictures in {out} are private: do not publish them")
    said = FITTED if public else PRIVATE.format(text=CALIBRATED)
    answers = {name: _answers(model, epsilon) for name, model in models.items()}
    if as_json:
        note(said)
        table = [_bucket(row, largest) for row in rows]
        print_json({"public": public, "said": said, "models": answers, "buckets": table})
        return models
    typer.echo(said)
    _print_models(answers)
    _print_buckets(rows, largest)
    return models


def _models(counts: NeighbourCounts, largest: int, defect: float) -> dict[str, Belief]:
    """Return all beliefs that a corpus says everything of, by name."""
    from entrenous.words.beliefs import BELIEFS
    from entrenous.words.beliefs.belief import Counted

    source = Counted(counts, largest)
    found = {name: belief.measured(source, defect=defect) for name, belief in BELIEFS.items()}
    return {name: belief for name, belief in found.items() if belief is not None}


def _answers(model: Belief, epsilon: float | None) -> dict[str, Any]:
    """Return what a model says, for programs."""
    closed = model.w_inf()
    values: dict[str, Any] = {"source": model.source, "guaranteed": model.guaranteed}
    for name in ("p0", "p1", "b0", "b1", "neighbours"):
        if hasattr(model, name):
            values[name] = getattr(model, name)
    values |= {"w_inf": closed - 1, "w_inf_closed": closed, "defect": model.defect}
    if epsilon is not None:
        values |= {
            "epsilon": epsilon,
            "edge_epsilon": model.edge_epsilon(epsilon),
            "laplace_scale": model.laplace_scale(epsilon),
            "wasserstein_scale": closed / epsilon,
        }
    return values | {"assumption": model.assumption}


def _print_models(answers: dict[str, dict[str, Any]]) -> None:
    from rich.table import Table

    columns = [
        ("W, neighbours", "w_inf", ",.0f"),
        ("W, edge counted", "w_inf_closed", ",.0f"),
        ("edge-level epsilon", "edge_epsilon", ".6g"),
        ("least noise scale", "laplace_scale", ",.4f"),
        ("noise scale W / epsilon", "wasserstein_scale", ",.4f"),
    ]
    shown = [column for column in columns if all(column[1] in values for values in answers.values())]
    table = Table("model", *(column[0] for column in shown), box=None)
    for name, values in answers.items():
        table.add_row(name, *(format(values[key], form) for _, key, form in shown))
    print_table(table)


def _print_buckets(rows: tuple[Bucket, ...], largest: int) -> None:
    from rich.table import Table

    table = Table("neighbours of the edge", "edges with the n-gram", "W, share", "W, neighbours", box=None)
    for row in rows:
        size, frequency = (
            f"{10**key:,} to {10 ** (key + 1) - 1:,}" for key in (row.size_bucket, row.frequency_bucket)
        )
        table.add_row(size, frequency, f"{row.fraction:.4f}", f"{row.w(largest):,.1f}")
    print_table(table)


def _bucket(row: Bucket, largest: int) -> dict[str, float]:
    return {
        "size_bucket": row.size_bucket,
        "frequency_bucket": row.frequency_bucket,
        "w_inf_share": row.fraction,
        "w_inf": row.w(largest),
    }


def _check_folder(folder: Path) -> None:
    """Find out before anything is counted whether pictures can be drawn and written."""
    from entrenous.page.pictures.style import require_matplotlib

    require_matplotlib()
    if folder.exists():
        raise OutputExistsError(f"{folder.name} is already there; name a new folder, nothing was overwritten")
    if not folder.resolve().parent.is_dir():
        raise MissingDataError(f"{folder.name} cannot be made there; is the folder above it there?")


def _write_pictures(
    folder: Path, counts: NeighbourCounts, rows: tuple[Bucket, ...], largest: int, *, public: bool
) -> None:
    """Draw the distributions of all edges together, their distance, the same for the widest bucket, and all buckets.

    Of a corpus that is not public they are for their owner alone.
    """
    from contextlib import nullcontext

    import numpy as np

    from entrenous._files import private_files
    from entrenous.page.pictures import ngrams
    from entrenous.page.pictures.style import standalone
    from entrenous.words.beliefs.buckets import bucket_distributions, neighbour_distributions
    from entrenous.words.pufferfish.wasserstein import Distribution, quantile_distances

    def shares(counted: Distribution) -> tuple[Any, Any]:
        return np.array(counted.values), np.array(counted.cases) / counted.total

    pictures = {
        "buckets": ngrams.buckets(
            [(r.size_bucket, r.frequency_bucket, r.fraction, r.w(largest)) for r in rows]
        )
    }
    widest = max(rows, key=lambda row: row.w(largest))
    for name, unit, (absent, present) in (
        ("all", "neighbours", neighbour_distributions(counts)),
        (
            "widest",
            "share of neighbours",
            bucket_distributions(counts)[widest.size_bucket, widest.frequency_bucket],
        ),
    ):
        pictures[f"{name}-distributions"] = ngrams.neighbour_distributions(
            shares(absent), shares(present), unit
        )
        pictures[f"{name}-distance"] = ngrams.quantile_distances(*quantile_distances(absent, present), unit)
    with nullcontext() if public else private_files():
        folder.mkdir()
        for name, picture in pictures.items():
            (folder / f"{name}.svg").write_text(standalone(picture), encoding="utf-8")
