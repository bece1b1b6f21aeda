from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from entrenous import __version__, network
from entrenous.card import NO_GUARANTEE, NO_VAULT, Card, Provenance, Receipt
from entrenous.errors import ArgumentError, DiskFull, FormatError, MissingDataError, OutputExistsError
from entrenous.graph import Graph
from entrenous.guarantee import NODES_LISTED, NODES_SEEN, Guarantee
from entrenous.noise import REHEARSAL
from entrenous.page import Report
from entrenous.page.describing import Description, describing
from entrenous.release import ARTIFACTS, Artifact, Release, artifact_of, check_saving, read_release
from entrenous.vault import Budget, Vault

FILES = ["card.md", "graph.edges", "guarantee.json", "nodes.txt"]
GRAPH = Graph.from_edges([(0, 1), (1, 2)], names=["ann", "bob", "eve", "joe"])

KILLED_AT_EVERY_STEP = """
import os, signal, sys
from entrenous import network
from entrenous.graph import Graph
from entrenous.vault import Vault

home, vault = sys.argv[1], sys.argv[2]
graph = Graph.from_edges([(i, (i + step) % 300) for step in (1, 7, 31) for i in range(300)])
network.release(graph, epsilon=1.0).save(f"{home}/warm")
step, status = 0, 1
while status:
    step += 1
    child = os.fork()
    if not child:
        left = step

        def before(event, _):
            global left
            if event.startswith(("open", "os.", "shutil.", "sqlite3.")):
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(before)
        network.release(graph, epsilon=step / 1000, vault=Vault(vault)).save(f"{home}/{step}")
        os._exit(0)
    status = os.waitpid(child, 0)[1]
print(step)
"""

RELEASING = """
import sys
from entrenous import network
from entrenous.graph import Graph
from entrenous.vault import Vault

graph = Graph.from_edges([(i, (i + step) % 300) for step in (1, 7, 31) for i in range(300)])
vault = Vault(sys.argv[2])
for number in range(10_000):
    network.release(graph, epsilon=0.001, vault=vault).save(f"{sys.argv[1]}/{number}")
    print("saved", flush=True)
"""


def made(
    *, rehearsal: bool = False, private: dict[str, Any] | None = None, graph: Graph = GRAPH
) -> Release[Graph]:
    return Release(
        graph,
        Guarantee(epsilon=1.0, assumptions=(NODES_LISTED,)),
        Provenance("network: owner", {"slots": 2, "epsilon for counts": 0.1}, rehearsal),
        private or {},
    )


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def killed(program: str, *arguments: Path, after: float) -> None:
    """Run a program, and end it by kill -9 some time after its first folder."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"saved\n"
        time.sleep(after)
        os.kill(process.pid, signal.SIGKILL)


def charges(vault: Vault) -> dict[int, Decimal]:
    """Return the epsilon of every charge, by its entry."""
    return {each.entry: each.promises[0].epsilon for each in vault.state.charges}


def assert_paid_releases_can_be_resumed(vault: Vault, folders: list[Path]) -> None:
    """See that all that was drawn is kept, as it was saved if it was saved, and that resuming charges nothing."""
    before = vault.verify()
    charged, saved = charges(vault), {}
    for folder in folders:
        receipt = Card.read(folder).provenance.receipt
        assert receipt is not None
        assert receipt.digest == before[receipt.number - 1].digest
        saved[receipt.number] = folder
    assert len(saved) == len(folders), "no two folders have one charge"
    assert set(saved) <= set(vault.state.drawn) <= set(vault.shelf.numbers()) <= set(charged)
    for number in vault.shelf.numbers():  # also what was kept by someone who was killed before it was noted
        kept, made = vault.shelf.place(number), vault.resume(number)
        assert names(kept) == FILES
        assert made.artifact.n == 300
        assert made.guarantee == Guarantee(epsilon=float(charged[number]), assumptions=(NODES_SEEN,))
        assert made.provenance.receipt == Receipt(number, before[number - 1].digest)
        if number in saved:
            assert made == read_release(saved[number])
            assert all((kept / file).read_bytes() == (saved[number] / file).read_bytes() for file in FILES)
    assert vault.entries() == before


def test_a_saved_release_holds_exactly_the_publishable_half(tmp_path: Path) -> None:
    secrets = {"trace": [-123.456], "likelihood": -777.25, "seed": 424242, "model": GRAPH}
    folder = made(private=secrets).save(tmp_path / "public")
    assert names(folder) == FILES
    assert names(tmp_path) == ["public"]
    everything = "\n".join((folder / name).read_text() for name in FILES)
    for word in ("trace", "likelihood", "seed", "123.456", "777.25", "424242", "private"):
        assert word not in everything
    assert (folder / "graph.edges").read_text() == "ann bob\nbob eve\n"
    assert (folder / "nodes.txt").read_text() == "ann\nbob\neve\njoe\n"


def test_a_saved_release_tells_its_day_and_not_its_hour(tmp_path: Path) -> None:
    made = network.release(Graph.from_edges([(0, 1), (1, 2)], n=3), epsilon=1.0)
    for number in range(2):
        folder = made.save(tmp_path / f"made{number}")
        times = {file.stat().st_mtime_ns for file in [folder, *folder.iterdir()]}
        day = np.datetime64(made.provenance.created, "ns").astype(np.int64)
        assert times == {int(day)}
    odd = replace(made, provenance=replace(made.provenance, created="yesterday"))
    assert (odd.save(tmp_path / "odd") / "card.md").is_file()


def test_the_private_half_is_not_shown_or_compared() -> None:
    assert "777" not in repr(made(private={"likelihood": -777.25}))
    assert made(private={"likelihood": 1.0}) == made()


@pytest.mark.parametrize("method", network.MECHANISMS)
def test_a_real_release_writes_nothing_private(tmp_path: Path, method: str) -> None:
    secret = Graph.from_edges([(i, (i * i + 1) % 97) for i in range(3, 97)], n=97, clean=True)
    released = network.release(
        secret, epsilon=1.0, method=method, steps=9700 if method == "privhrg" else None
    )
    assert released.private
    folder = released.save(tmp_path / "public")
    assert names(folder) == FILES
    card = json.loads((folder / "guarantee.json").read_text())
    assert set(card) == {
        "guarantee",
        "method",
        "parameters",
        "rehearsal",
        "withdrawn",
        "receipt",
        "made_by",
        "created",
    }
    text = (folder / "card.md").read_text() + (folder / "guarantee.json").read_text()
    assert not [word for word in ("trace", "ikelihood", "seed", "acceptance", "entropy") if word in text]


@pytest.mark.parametrize("format", [None, "edges", "csv", "tsv", "graphml", "gml", "mtx"])
def test_a_rehearsal_is_stamped_on_every_file(tmp_path: Path, format: str | None) -> None:  # noqa: A002
    rehearsed = made(rehearsal=True).save(tmp_path / "rehearsed", format=format)
    real = made().save(tmp_path / "real", format=format)
    assert len(names(rehearsed)) == len(FILES)
    for name in names(rehearsed):
        assert REHEARSAL in (rehearsed / name).read_text(), name
        assert "private:" not in (real / name).read_text(), name
    file = next(file for file in rehearsed.iterdir() if file.stem == "graph")
    again = Graph.read(file, nodes=rehearsed / "nodes.txt" if format not in {"mtx"} else None)
    np.testing.assert_array_equal(again.edges(), GRAPH.edges())


def test_a_working_copy_is_not_published(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="working copies"):
        made().save(tmp_path / "public", format="csr")
    assert not (tmp_path / "public").exists()


def test_a_parquet_rehearsal_is_stamped_as_well(tmp_path: Path) -> None:
    folder = made(rehearsal=True).save(tmp_path / "rehearsed", format="parquet")
    assert REHEARSAL.encode() in (folder / "graph.parquet").read_bytes()


def test_a_folder_that_is_there_is_never_touched(tmp_path: Path) -> None:
    folder = tmp_path / "public"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    with pytest.raises(OutputExistsError, match="public is already there"):
        made().save(folder)
    assert names(folder) == ["mine.txt"]
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OutputExistsError):
        made().save(tmp_path / "file")
    assert names(tmp_path) == ["file", "public"]


def test_a_failed_save_leaves_nothing(tmp_path: Path) -> None:
    unwritable = Graph.from_edges([(0, 1)], names=["two\nlines", "b"])
    for artifact, problem in ((unwritable, ValueError), (object(), TypeError)):
        with pytest.raises(problem):
            Release(artifact, None, Provenance("test")).save(tmp_path / "public")
        assert names(tmp_path) == []


@pytest.mark.faults
def test_kill_9_before_each_file_operation_leaves_a_complete_folder_or_none(tmp_path: Path) -> None:
    """One process is killed before its first use of a file, the next before its second, until one gets through."""
    home = tmp_path / "home"
    home.mkdir()
    vault = Vault.create(tmp_path / "a.vault", Budget(epsilon=100.0))
    command = [sys.executable, "-c", KILLED_AT_EVERY_STEP, str(home), str(vault.path)]
    steps = int(subprocess.run(command, capture_output=True, check=True).stdout)
    assert steps > 10
    folders = {
        step: home / str(step) for step in map(str, range(1, steps + 1)) if (home / str(step)).exists()
    }
    for step, folder in folders.items():
        assert names(folder) == FILES
        assert (folder / "card.md").read_text().endswith("this card for programs\n")
        promise = Guarantee(epsilon=int(step) / 1000, assumptions=(NODES_SEEN,))
        assert Card.read(folder).guarantee == promise
    charged = charges(vault)
    assert 1 <= len(folders) < len(charged) < steps
    assert len(set(charged.values())) == len(charged), "each step has its epsilon: none was charged twice"
    assert_paid_releases_can_be_resumed(vault, list(folders.values()))
    drawn = vault.state.drawn
    assert set(drawn) < set(charged), "who was killed before the draw was noted has paid as well"
    assert len(folders) < len(drawn), "what was drawn and never saved is not lost"
    assert all(name.isdigit() for name in names(vault.shelf.folder)), "the last one tidied up after the dead"


@pytest.mark.faults
def test_kill_9_during_a_release_never_loses_its_entry(tmp_path: Path) -> None:
    """Every folder that exists was paid for; at most one payment has no folder."""
    rng = np.random.default_rng(2)
    for attempt in range(3):
        home = tmp_path / str(attempt)
        home.mkdir()
        vault = Vault.create(tmp_path / f"{attempt}.vault", Budget(epsilon=10.0))
        killed(RELEASING, home, vault.path, after=rng.uniform(0.02, 0.15))
        folders = sorted(home.glob("[0-9]*"))
        assert all(names(folder) == FILES for folder in folders)
        assert 1 <= len(folders) <= len(charges(vault)) <= len(folders) + 1
        assert_paid_releases_can_be_resumed(vault, folders)


def test_the_card_comes_back(tmp_path: Path) -> None:
    receipt = Receipt(7, "5ea1", ("An earlier promise was given up.",))
    paid = replace(made(), provenance=replace(made().provenance, receipt=receipt))
    for number, release in enumerate(
        (made(), made(rehearsal=True), paid, Release(GRAPH, None, Provenance("links: x")))
    ):
        folder = release.save(tmp_path / str(number))
        assert Card.read(folder) == release.card
        assert release.card.provenance.version == __version__


def test_the_card_says_what_people_need() -> None:
    text = made().card.text({"graph.edges": "the graph"})
    assert "Edge differential privacy with epsilon 1" in text
    assert NODES_LISTED in text
    assert "- slots: 2" in text
    assert "- `graph.edges`: the graph" in text
    assert REHEARSAL not in text
    assert "Do not publish" in made(rehearsal=True).card.text({})
    assert NO_GUARANTEE in Release(GRAPH, None, Provenance("links: x")).card.text({})
    assert NO_VAULT in text


def test_the_card_of_a_release_that_was_charged_has_a_receipt_and_promises_given_up(tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "a.vault", Budget(epsilon=1.0))
    card = network.release(GRAPH, epsilon=0.5, vault=vault).card
    (number,) = charges(vault)
    digest = vault.entries()[number - 1].digest
    assert card.provenance.receipt == Receipt(number, digest)
    assert card.remembered == (f"Receipt: entry {number} of its vault, sealed {digest}.",)
    assert NO_VAULT not in card.text({})
    assert card.remembered[0] in card.text({})
    assert card.to_json()["receipt"] == {"number": number, "digest": digest, "given_up": ()}
    given_up = replace(card.provenance, receipt=Receipt(number, digest, ("It was given up.",)))
    assert "It was given up." in replace(card, provenance=given_up).text({})


def test_a_full_disk_is_noticed_before_anything_is_charged_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_saving(GRAPH, tmp_path / "public", room=1)
    with pytest.raises(DiskFull, match="public is full: nothing was written"):
        check_saving(GRAPH, tmp_path / "public", room=1 << 62)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("entrenous.release._flush", full)
    with pytest.raises(DiskFull, match="public is full: nothing was written"):
        made().save(tmp_path / "public")
    paid = replace(made(), provenance=replace(made().provenance, receipt=Receipt(7, "5ea1")))
    with pytest.raises(
        DiskFull, match=r"kept beside its vault: `entrenous release resume VAULT 7 --out DIR`"
    ):
        paid.save(tmp_path / "public")
    assert names(tmp_path) == []


RECEIPT = {"number": 7, "digest": "5ea1", "given_up": []}
DAMAGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a list": lambda card: [card],
    "no method": lambda card: {key: value for key, value in card.items() if key != "method"},
    "a number for parameters": lambda card: card | {"parameters": 3},
    "a text for a promise": lambda card: card | {"guarantee": "epsilon 1"},
    "an empty promise": lambda card: card | {"guarantee": {}},
    "a promise without epsilon": lambda card: card | {"guarantee": {"kind": "dp"}},
    "a negative epsilon": lambda card: card | {"guarantee": card["guarantee"] | {"epsilon": -1}},
    "a text for a receipt": lambda card: card | {"receipt": "entry 7"},
    "a receipt without a seal": lambda card: card | {"receipt": {"number": 7, "given_up": []}},
    "a receipt of no entry": lambda card: card | {"receipt": RECEIPT | {"number": "seven"}},
    "a text for promises given up": lambda card: card | {"receipt": RECEIPT | {"given_up": "all"}},
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_card_is_not_half_believed(tmp_path: Path, damage: str) -> None:
    file = made().save(tmp_path / "public") / "guarantee.json"
    file.write_text(json.dumps(DAMAGES[damage](json.loads(file.read_text()))))
    with pytest.raises(FormatError, match=r"guarantee\.json"):
        Card.read(file.parent)


def test_what_is_no_card_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match="not a saved release"):
        Card.read(tmp_path)
    (tmp_path / "guarantee.json").write_bytes(b"\xff\xfe{")
    with pytest.raises(FormatError):
        Card.read(tmp_path)


# kinds of artifacts


@dataclass(frozen=True)
class Tune:
    """Something that no capability publishes."""

    notes: tuple[str, ...]


TUNE = Artifact(
    noun="tune",
    of=Tune,
    files={"tune.txt": "the notes"},
    write=lambda tune, folder, _format, _stamp: {
        "tune.txt": f"{(folder / 'tune.txt').write_text(' '.join(tune.notes))} characters"
    },
    read=lambda folder, _card: Tune(tuple((folder / "tune.txt").read_text().split())),
    page="tunes",
)


def test_a_new_kind_needs_its_declaration_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = Release(Tune(("a", "b")), None, Provenance("tunes: hummed"))
    with pytest.raises(TypeError, match=r"Graph.*got Tune"):
        release.save(tmp_path / "public")
    monkeypatch.setattr("entrenous.release.ARTIFACTS", [TUNE, *ARTIFACTS])
    page = ModuleType("tunes")
    page.published = lambda made: Description(f"{len(made.artifact.notes)} notes", [])  # type: ignore[attr-defined]
    page.compared = lambda sung, made: Description(f"{sung} and {made.artifact.notes[0]}", [])  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tunes", page)
    check_saving(release.artifact, tmp_path / "public")
    folder = release.save(tmp_path / "public")
    assert names(folder) == ["card.md", "guarantee.json", "tune.txt"]
    assert "`tune.txt`: 3 characters" in (folder / "card.md").read_text()
    assert read_release(folder) == release
    html = Report.of_folder(folder).html
    assert "<h1>2 notes</h1>" in html
    assert "<code>tune.txt</code>: the notes" in html
    assert "<h1>sung and a</h1>" in Report.comparison("sung", release).html


def test_a_kind_may_be_narrowed_to_a_method(monkeypatch: pytest.MonkeyPatch) -> None:
    hummed = replace(TUNE, method="tunes: hummed")
    monkeypatch.setattr("entrenous.release.ARTIFACTS", [hummed, TUNE, *ARTIFACTS])
    assert artifact_of(Tune(()), "tunes: hummed, twice") is hummed
    assert artifact_of(Tune(()), "tunes: sung") is TUNE
    assert artifact_of(GRAPH, "tunes: hummed") is not hummed


def test_a_folder_of_no_known_kind_says_what_was_expected(tmp_path: Path) -> None:
    folder = made().save(tmp_path / "public")
    (folder / "graph.edges").unlink()
    with pytest.raises(MissingDataError, match=r"public: expected one of .*graph\.\*.*; got none"):
        read_release(folder)


@pytest.mark.parametrize("method", ["cli: x", "__main__", "web: x", "os"])
def test_a_card_cannot_have_anything_else_imported(tmp_path: Path, method: str) -> None:
    folder = Release(GRAPH, None, Provenance(method)).save(tmp_path / "public")
    program = (
        "import sys; from entrenous import release as r; r.read_release(sys.argv[1]); print(*sys.modules)"
    )
    command = [sys.executable, "-c", program, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not {"entrenous.cli", "entrenous.web", "entrenous.__main__"} & set(done.stdout.split())


def test_every_kind_has_its_page() -> None:
    from entrenous import words
    from entrenous.links.generalization import Generalized

    assert Generalized in {kind.of for kind in ARTIFACTS}
    assert words.Vocabulary in {kind.of for kind in ARTIFACTS}
    for kind in ARTIFACTS:
        assert callable(describing(kind).published)
        assert callable(describing(kind).compared)
