"""Whoever changes a vault is noticed by its seals, or by the receipts of published cards; or it is said who is not."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.vault.orders import ties, words

from entrenous import network
from entrenous.card import Provenance, Receipt
from entrenous.datasets import karate_club
from entrenous.errors import EntrenousError, VaultError
from entrenous.graph import Graph
from entrenous.guarantee import Guarantee
from entrenous.release import Release
from entrenous.unit import Unit
from entrenous.vault import Budget, Order, Vault
from entrenous.vault.chain.entry import FIRST, digest_of
from entrenous.vault.verification import verify

CLUB = karate_club()


def changed(vault: Vault, *statements: str) -> None:
    connection = sqlite3.connect(vault.path, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault.create(tmp_path / "club.vault", Budget(epsilon=8.0), Budget(8.0, 1e-5, Unit.EDGE_CONTENT))


@pytest.fixture
def cards(vault: Vault, tmp_path: Path) -> list[Path]:
    """Three published releases."""
    made = [network.release(CLUB, epsilon=1.0, vault=vault) for _ in range(3)]
    return [release.save(tmp_path / f"public-{place}") for place, release in enumerate(made)]


def unsound(vault: Vault, *cards: Path) -> list[str]:
    return [found.sentence for found in verify(vault, cards, [CLUB]) if not found.sound]


def test_a_vault_that_was_left_alone_is_sound(vault: Vault, cards: list[Path]) -> None:
    assert unsound(vault, *cards) == []


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM entry WHERE kind = 'charge'",
        "DELETE FROM entry WHERE number = 6",
        "DELETE FROM entry WHERE number = 1",
        'UPDATE entry SET body = replace(body, \'"epsilon": "1"\', \'"epsilon": "0.1"\') WHERE kind = \'charge\'',
        "UPDATE entry SET body = replace(body, '\"8\"', '\"80\"') WHERE kind = 'budget'",
        "UPDATE entry SET time = '2020-01-01T00:00:00+00:00' WHERE number = 5",
        "UPDATE entry SET kind = 'drawn' WHERE number = 6",
        "UPDATE entry SET digest = 'abc' WHERE number = 4",
        "UPDATE entry SET number = number + 100 WHERE number > 6",
        "UPDATE entry SET body = x'ff00' WHERE number = 5",
        "UPDATE entry SET body = 'no json' WHERE number = 5",
        "DROP TABLE entry",
        "DROP TABLE secret",
        "DELETE FROM secret",
        "UPDATE secret SET key = 'text'",
    ],
)
def test_an_edit_breaks_the_seals_and_nothing_is_paid_for(
    vault: Vault, cards: list[Path], statement: str
) -> None:
    changed(vault, statement)
    with pytest.raises(VaultError):
        Vault(vault.path)
    with pytest.raises(VaultError):
        Vault(vault.path).charge(ties(0.1))
    assert unsound(vault, *cards)


def sealed_anew(vault: Vault, keep: Callable[[tuple[int, str, str]], tuple[int, str, str] | None]) -> None:
    """Change entries as somebody would who knows how seals are made: the whole chain is made anew."""
    connection = sqlite3.connect(vault.path, isolation_level=None)
    rows = connection.execute("SELECT number, time, kind, body FROM entry ORDER BY number").fetchall()
    connection.execute("DELETE FROM entry")
    before, number = FIRST, 0
    for old, time, kind, body in rows:
        kept = keep((old, kind, body))
        if kept is None:
            continue
        number += 1
        digest = digest_of(before, number, time, kept[1], kept[2])
        connection.execute(
            "INSERT INTO entry VALUES (?, ?, ?, ?, ?)", (number, time, kept[1], kept[2], digest)
        )
        before = digest
    connection.close()


def test_an_amount_that_was_edited_and_sealed_anew_is_noticed_by_receipts(
    vault: Vault, cards: list[Path]
) -> None:
    sealed_anew(vault, lambda row: (row[0], row[1], row[2].replace('"epsilon": "1"', '"epsilon": "0.01"')))
    assert [finding.sound for finding in verify(Vault(vault.path))] == [True]  # the seals hold again
    found = unsound(vault, *cards)
    assert len(found) == 3
    assert all("is not the one of its receipt" in sentence for sentence in found)


def test_a_card_vouches_for_all_entries_before_its_own(vault: Vault, cards: list[Path]) -> None:
    """A budget that was raised afterwards, and sealed anew, is noticed by whoever has any card."""
    sealed_anew(vault, lambda row: (row[0], row[1], row[2].replace('"epsilon": "8"', '"epsilon": "80"')))
    assert Vault(vault.path).budgets[0].epsilon == 80
    assert len(unsound(vault, cards[1])) == 1


def test_an_entry_that_was_deleted_and_sealed_anew_is_noticed_by_receipts(
    vault: Vault, cards: list[Path]
) -> None:
    last = max(vault.state.releases)
    sealed_anew(vault, lambda row: None if row[0] >= last else row)
    (found,) = unsound(vault, *cards)
    assert found == (
        f"public-2: its receipt is of entry {last}, and the vault ends with entry {last - 1}: entries were deleted, or "
        "this is an older copy, or another vault"
    )
    assert (
        unsound(vault, *cards[:2]) == []
    )  # nobody kept the card: it cannot be noticed, and UNNOTICED says so


def test_an_older_copy_is_noticed_by_receipts(vault: Vault, tmp_path: Path) -> None:
    network.release(CLUB, epsilon=1.0, vault=vault).save(tmp_path / "first")
    shutil.copy(vault.path, tmp_path / "copy")
    network.release(CLUB, epsilon=1.0, vault=vault).save(tmp_path / "second")
    shutil.copy(tmp_path / "copy", vault.path)
    found = unsound(Vault(vault.path), tmp_path / "first", tmp_path / "second")
    assert len(found) == 1
    assert "an older copy" in found[0]


def test_an_older_copy_that_went_on_is_noticed_by_receipts(vault: Vault, tmp_path: Path) -> None:
    """The numbers are there again, but they are other entries."""
    shutil.copy(vault.path, tmp_path / "copy")
    network.release(CLUB, epsilon=1.0, vault=vault).save(tmp_path / "first")
    shutil.copy(tmp_path / "copy", vault.path)
    network.release(CLUB, epsilon=1.0, vault=Vault(vault.path)).save(tmp_path / "second")
    found = unsound(Vault(vault.path), tmp_path / "first", tmp_path / "second")
    assert len(found) == 1
    assert found[0].startswith("first: entry ")


def test_a_copy_made_while_the_vault_is_open_is_noticed_by_the_next_charge(
    vault: Vault, tmp_path: Path
) -> None:
    shutil.copy(vault.path, tmp_path / "copy")
    vault.charge(ties(1.0))
    shutil.copy(tmp_path / "copy", vault.path)
    vault.charge(ties(1.0))
    assert len(Vault(vault.path).state.charges) == len(vault.state.charges) == 1


def test_a_card_that_was_edited_is_noticed(vault: Vault, cards: list[Path]) -> None:
    card = cards[0] / "guarantee.json"
    values = json.loads(card.read_text())
    values["guarantee"]["epsilon"] = 0.5
    card.write_text(json.dumps(values))
    assert unsound(vault, *cards) == [
        f"public-0: its card promises something else than entry {values['receipt']['number']} was charged"
    ]


def edited_json(card: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    values = json.loads((card / "guarantee.json").read_text())
    edit(values)
    (card / "guarantee.json").write_text(json.dumps(values))


EDITS: dict[str, Callable[[Path], object]] = {
    "the card for people": lambda card: (card / "card.md").write_text(
        (card / "card.md").read_text().replace("epsilon 1", "epsilon 0.01")
    ),
    "a card for people that is gone": lambda card: (card / "card.md").unlink(),
    "an assumption": lambda card: edited_json(
        card, lambda v: v["guarantee"]["assumptions"].append("All is well.")
    ),
    "a tie": lambda card: (card / "graph.edges").write_text("0 1\n"),
    "a rehearsal": lambda card: edited_json(card, lambda v: v.update(rehearsal="drawn from a known seed")),
}


@pytest.mark.parametrize("edit", EDITS)
def test_whatever_was_edited_in_a_published_folder_is_noticed(
    vault: Vault, cards: list[Path], edit: str
) -> None:
    EDITS[edit](cards[1])
    (found,) = unsound(vault, *cards)
    assert found.startswith("public-1: ")


def test_a_rehearsal_that_pretends_to_be_none_is_noticed(vault: Vault, tmp_path: Path) -> None:
    made = network.release(CLUB, epsilon=1.0, vault=vault, rng=3)
    folder = replace(made, provenance=replace(made.provenance, rehearsal=False)).save(tmp_path / "public")
    assert "do not agree on whether it is a rehearsal" in unsound(vault, folder)[0]


def test_a_level_does_not_vouch_for_a_promise(vault: Vault, tmp_path: Path) -> None:
    promise = Guarantee(
        epsilon=2.0, unit=Unit.REPLACED_CONTENT, level=Guarantee(epsilon=1.0, unit=Unit.EDGE_CONTENT)
    )
    entry = vault.charge(Order(purpose="words", sees=("contents",), guarantee=promise))
    receipt = Receipt(entry.number, entry.digest)
    made = Release(CLUB, promise, Provenance("network: owner", receipt=receipt))
    network.release(CLUB, epsilon=1.0, vault=vault)
    assert unsound(vault, made.save(tmp_path / "sound")) == []
    bold = replace(made, guarantee=replace(promise, epsilon=1.5))
    assert "promises something else" in unsound(vault, bold.save(tmp_path / "bold"))[0]


def test_cards_without_a_receipt_and_folders_without_a_card_are_named(vault: Vault, tmp_path: Path) -> None:
    network.release(CLUB, epsilon=1.0).save(tmp_path / "alone")
    (tmp_path / "empty").mkdir()
    network.release(CLUB, epsilon=1.0, vault=vault)
    found = unsound(vault, tmp_path / "alone", tmp_path / "empty")
    assert ["no vault remembers" in found[0], "no guarantee.json" in found[1], len(found)] == [True, True, 2]


def test_swapped_data_are_noticed(vault: Vault, cards: list[Path]) -> None:
    other = CLUB.with_edges(CLUB.edges()[1:])
    (found,) = [each for each in verify(vault, (), [other]) if "graph" in each.sentence]
    assert (found.sound, found.sentence) == (
        False,
        "this graph is not the one that the vault's releases were made from",
    )
    assert cards


def test_data_of_a_kind_that_was_never_released_cannot_be_compared(vault: Vault) -> None:
    vault.charge(words(1.0))
    assert "nothing to compare with" in unsound(vault)[0]


def test_another_graph_is_refused_before_anything_is_charged(vault: Vault) -> None:
    network.release(CLUB, epsilon=1.0, vault=vault)
    before = vault.entries()
    other = CLUB.with_edges(CLUB.edges()[1:])
    with pytest.raises(VaultError, match=r"belongs to another graph.*--same-data"):
        network.release(other, epsilon=1.0, vault=vault)
    assert vault.entries() == before
    updated = Vault(vault.path, same_data=True)
    network.release(other, epsilon=1.0, vault=updated)
    network.release(CLUB, epsilon=1.0, vault=vault)  # both versions are known now
    assert (float(vault.total("edge").epsilon), vault.recognises(other), vault.recognises(CLUB)) == (
        3.0,
        2,
        1,
    )


def test_a_fingerprint_knows_ties_by_the_names_of_their_ends() -> None:
    from entrenous.vault.fingerprint import fingerprint

    rng = np.random.default_rng(1)
    names = [f"p{i}" for i in range(40)]
    edges = sorted(
        {tuple(sorted(pair)) for pair in rng.integers(0, 40, (90, 2)).tolist() if pair[0] != pair[1]}
    )
    graph = Graph.from_edges(edges, names=names)
    order = rng.permutation(40)
    place = np.argsort(order)
    shuffled = Graph.from_edges(place[np.array(edges)], names=[names[i] for i in order])
    more = Graph.from_edges(edges, names=[*names, "lonely"])
    prints = [fingerprint(each, b"key") for each in (graph, shuffled, more)]
    assert prints[0] == prints[1] == prints[2]
    for without in range(len(edges)):
        fewer = Graph.from_edges([edge for place, edge in enumerate(edges) if place != without], names=names)
        assert fingerprint(fewer, b"key") != prints[0]
    swapped = Graph.from_edges(edges, names=[names[1], names[0], *names[2:]])
    assert fingerprint(swapped, b"key") != prints[0]
    assert fingerprint(graph, b"other") != prints[0]
    assert fingerprint([1, 2, 3], b"key") is None


def test_no_card_and_no_message_carries_a_fingerprint_or_the_key(vault: Vault, cards: list[Path]) -> None:
    connection = sqlite3.connect(vault.path)
    key = connection.execute("SELECT key FROM secret").fetchone()[0].hex()
    connection.close()
    prints = [prints for each in vault.state.data.values() for prints in each]
    published = "".join(file.read_text() for card in cards for file in card.iterdir())
    assert prints
    for secret in (key, *prints):
        assert secret not in published
        assert secret not in repr(vault.entries())


def test_a_digest_does_not_tell_what_was_charged(tmp_path: Path) -> None:
    """Each entry holds a nonce: the same order, charged at the same time, has another seal."""
    digests = set()
    for place in range(5):
        vault = Vault.create(tmp_path / f"{place}.vault", Budget(1.0))
        digests.add(vault.charge(ties(0.5)).digest)
    assert len(digests) == 5


def test_random_damage_is_noticed_or_harmless(vault: Vault) -> None:
    """Overwritten bytes: the vault still tells the truth, or refuses; no other error escapes."""
    for _ in range(4):
        vault.charge(ties(0.2))
    truth, whole = vault.entries(), vault.path.read_bytes()
    rng = np.random.default_rng(3)
    refused = 0
    for _ in range(200):
        broken = bytearray(whole)
        start = int(rng.integers(len(broken)))
        broken[start : start + 200] = rng.bytes(200)[: len(broken) - start]
        vault.path.write_bytes(broken[: int(rng.integers(len(broken)))] if rng.random() < 0.3 else broken)
        try:
            found = Vault(vault.path).entries()
        except EntrenousError:
            refused += 1
        else:
            assert found == truth[: len(found)]
    assert refused > 20


def test_a_receipt_of_another_vault_pays_for_nothing(vault: Vault, tmp_path: Path) -> None:
    """Entries of both have the same number."""
    other = Vault.create(tmp_path / "other.vault", Budget(epsilon=8.0), Budget(8.0, 1e-5, Unit.EDGE_CONTENT))
    made, foreign = (network.release(CLUB, epsilon=1.0, vault=each) for each in (vault, other))
    assert made.provenance.receipt is not None
    assert foreign.provenance.receipt is not None
    assert made.provenance.receipt.number == foreign.provenance.receipt.number
    assert vault.paid_for(made)
    assert not vault.paid_for(foreign)
