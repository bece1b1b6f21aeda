"""Words and their vault: whose mail it is, what each release declares and costs, and what is refused after what."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.words.mailboxes import write_mbox

from entrenous.desk import Desk
from entrenous.errors import BudgetExceeded, Contradiction, PrivacyError, VaultError
from entrenous.guarantee import GRAPH_PUBLIC, TIES_NOT_TOLD, Guarantee
from entrenous.noise import Noise
from entrenous.release import Release
from entrenous.unit import Unit
from entrenous.vault import Budget, Order, Vault
from entrenous.words import Binomial, Corpus, Group, PublicEdges, histogram, vocabulary
from entrenous.words.beliefs.estimation import estimate_range
from entrenous.words.counting.table import Table

PEOPLE = tuple(f"{name}@x.org" for name in ("ann", "bob", "cem", "dot", "eve", "fay"))
PAIRS = tuple(itertools.combinations(PEOPLE, 2))
LISTED = ["budget", "lunch", "gold"]
KEY = b"k" * 32
NETWORK = Order(purpose="network release", sees=("ties",), guarantee=Guarantee(epsilon=0.1))


def messages(more: int = 0) -> list[dict[str, Any]]:
    """Return a message on each edge, and some more on the first."""
    said = ("budget meeting", "lunch budget", "the naïve café")
    pairs = [*PAIRS, *[PAIRS[0]] * more]
    return [
        {
            "id": f"m{number}@x.org",
            "date": f"2024-01-01T10:{number:02}:00",
            "from": pair[number % 2],
            "to": [pair[1 - number % 2]],
            "cc": [],
            "subject": "about the budget",
            "body": said[number % 3],
        }
        for number, pair in enumerate(pairs)
    ]


@pytest.fixture(scope="module")
def mail() -> Corpus:
    return Corpus.from_messages(messages())


@pytest.fixture(scope="module")
def edges() -> PublicEdges:
    return PublicEdges.of(PAIRS)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """A vault with budgets for ties and for what passes on them."""
    return Vault.create(
        tmp_path / "mail.vault",
        Budget(epsilon=50.0, delta=1e-2, slack=0.0),
        Budget(epsilon=50.0, delta=1e-2, unit=Unit.EDGE_CONTENT, slack=0.0),
    )


def counted(mail: Corpus | Table, vault: Vault, epsilon: float = 2.0, **more: Any) -> Release[Any]:
    return histogram(
        mail, vocabulary=LISTED, epsilon=epsilon, contribution=2, useless=True, vault=vault, **more
    )


# whose mail it is


def as_json_lines(records: list[dict[str, Any]], file: Path) -> Path:
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return file


def as_mbox(records: list[dict[str, Any]], file: Path) -> Path:
    raw = [
        f"Message-ID: <{each['id']}>\nFrom: {each['from']}\nTo: {each['to'][0]}\nSubject: {each['subject']}\n"
        f"Content-Type: text/plain; charset=utf-8\n\n{each['body']}\n".encode()
        for each in records
    ]
    return write_mbox(file, *raw)


def test_a_fingerprint_does_not_depend_on_how_mail_was_read(mail: Corpus, tmp_path: Path) -> None:
    expected = mail.fingerprint(KEY)
    assert re.fullmatch("[0-9a-f]{64}", expected)
    assert Corpus.from_messages(messages()[::-1]).fingerprint(KEY) == expected
    lines = as_json_lines(messages(), tmp_path / "mail.jsonl")
    assert Corpus.read(lines, store=tmp_path / "corpus").fingerprint(KEY) == expected
    assert Corpus.open(tmp_path / "corpus").fingerprint(KEY) == expected
    assert Corpus.read(as_mbox(messages()[::-1], tmp_path / "mail.mbox")).fingerprint(KEY) == expected


def test_other_mail_and_other_keys_have_other_fingerprints(mail: Corpus) -> None:
    more = Corpus.from_messages(messages(more=1))
    assert more.edge_count == mail.edge_count  # it is not by the graph alone that mail is recognised
    longer = messages()
    longer[4]["body"] += " again"
    renamed = json.loads(json.dumps(messages()).replace("ann@x.org", "zoe@x.org"))
    others = [more, Corpus.from_messages(longer), Corpus.from_messages(messages()[1:])]
    others.append(Corpus.from_messages(renamed))
    found = [corpus.fingerprint(KEY) for corpus in (mail, *others)] + [mail.fingerprint(b"q" * 32)]
    assert len(set(found)) == len(found) == 6


def test_a_public_list_of_edges_does_not_make_other_mail(mail: Corpus, edges: PublicEdges) -> None:
    assert mail.on_edges(edges).fingerprint(KEY) == mail.fingerprint(KEY)
    assert mail.on_edges(PublicEdges.of(PAIRS[:2])).fingerprint(KEY) == mail.fingerprint(KEY)


def test_a_vault_refuses_other_mail_unless_it_is_said_to_be_a_new_version(mail: Corpus, vault: Vault) -> None:
    newer = Corpus.from_messages(messages(more=2))
    assert vault.recognises(mail) is None
    counted(mail, vault)
    assert (vault.recognises(mail), vault.recognises(newer)) == (1, 0)
    before = vault.entries()
    for ask in (
        lambda: counted(newer, vault),
        lambda: vocabulary(newer, epsilon=3.0, delta=1e-3, vault=vault),
        lambda: estimate_range(newer, epsilon=1.0, contribution=2, vault=vault),
    ):
        with pytest.raises(VaultError, match=r"belongs to another mail.*nothing was charged.*--same-data"):
            ask()
    assert vault.entries() == before
    assert (vault.shelf.numbers(), [*vault.shelf.folder.glob(".*")]) == ([before[-2].number], [])
    counted(newer, Vault(vault.path, same_data=True), epsilon=3.0)
    assert (vault.recognises(mail), vault.recognises(newer)) == (1, 2)
    assert (vault.total("edge-content").epsilon, vault.total("edge").epsilon) == (5, 5)
    counted(mail, vault)  # the first version is still known
    assert vault.total("edge-content").epsilon == 7


def test_a_fingerprint_is_neither_shown_nor_that_of_another_vault(
    mail: Corpus, vault: Vault, tmp_path: Path
) -> None:
    other = Vault.create(tmp_path / "other.vault", Budget(epsilon=9.0, unit=Unit.EDGE_CONTENT))
    made = [counted(mail, each) for each in (vault, other)]
    prints = [each.state.data["mail"][0] for each in (vault, other)]
    assert prints[0] != prints[1]
    for release, found in zip(made, prints, strict=True):
        folder = release.save(tmp_path / found[:6])
        assert not any(found in file.read_text() for file in folder.iterdir())


def test_a_bare_table_is_not_recognised_and_is_charged(mail: Corpus, vault: Vault) -> None:
    counted(mail.table(n=1), vault)
    assert vault.state.data == {}
    assert vault.total("edge-content").epsilon == 2


# what is declared, and what it costs


@pytest.mark.parametrize("publish", ["histogram", "vocabulary"])
def test_without_a_list_both_units_are_charged_and_ties_stay_hidden(
    mail: Corpus, vault: Vault, publish: str
) -> None:
    if publish == "histogram":
        made = counted(mail, vault)
        declared, cost = {"vocabulary"}, (2, 0)
    else:
        made = vocabulary(mail, epsilon=3.0, delta=1e-3, vault=vault)
        declared, cost = set(), (3, pytest.approx(1e-3))
    assert made.guarantee is not None
    assert TIES_NOT_TOLD in made.guarantee.assumptions
    state = vault.state
    assert set(state.facts) == declared
    assert (state.gone(Unit.EDGE), state.gone(Unit.EDGE_CONTENT), "ties" in state.revealed) == (
        None,
        None,
        False,
    )
    for unit in ("edge", "edge-content"):
        total = vault.total(unit)
        assert (total.epsilon, float(total.delta)) == cost


@pytest.mark.parametrize("how", ["corpus", "table"])
def test_with_a_list_ties_are_declared_and_only_contents_are_charged(
    mail: Corpus, edges: PublicEdges, vault: Vault, how: str
) -> None:
    seen = mail.on_edges(edges)
    made = counted(seen if how == "corpus" else seen.table(n=1), vault)
    assert made.guarantee is not None
    assert GRAPH_PUBLIC in made.guarantee.assumptions
    state = vault.state
    (charge,) = state.charges
    assert set(state.facts) == {"ties", "vocabulary"}
    assert state.gone(Unit.EDGE) is state.facts["ties"]
    assert state.gone(Unit.EDGE_CONTENT) is None
    unit = Unit.EDGE_AND_MESSAGE if how == "corpus" else Unit.EDGE_CONTENT
    assert [promise.unit for promise in charge.promises] == [unit]
    assert vault.total("edge-content").epsilon == 2


def test_the_budget_of_what_is_hidden_no_more_stops_nothing(
    mail: Corpus, edges: PublicEdges, tmp_path: Path
) -> None:
    units = Budget(epsilon=1.0), Budget(epsilon=9.0, unit=Unit.EDGE_CONTENT)
    vault = Vault.create(tmp_path / "a.vault", *units)
    with pytest.raises(BudgetExceeded, match="left per edge, "):
        counted(mail, vault)
    counted(mail.on_edges(edges), vault)
    counted(mail, vault)  # ties are public from here on, list or no list
    assert vault.total("edge-content").epsilon == 4


BELIEFS: dict[str, Callable[[Corpus], Any]] = {
    "Binomial": lambda mail: Binomial(0.1, 0.3, mail.largest_neighbourhood),
    "calibrated": lambda mail: Binomial(0.1, 0.3, mail.largest_neighbourhood).disclaimed(),
    "Group.around": Group.around,
}


@pytest.mark.parametrize("belief", BELIEFS)
def test_a_belief_whose_attacker_knows_the_graph_declares_ties(
    mail: Corpus, vault: Vault, belief: str
) -> None:
    counted(mail, vault, correlation=BELIEFS[belief](mail))
    state = vault.state
    assert "ties" in state.facts
    assert state.gone(Unit.EDGE) is state.facts["ties"]
    assert 0 < vault.total("edge-content").epsilon < 2  # less than what holds for neighbours together


def test_a_group_of_a_stated_size_declares_no_ties(mail: Corpus, vault: Vault) -> None:
    counted(mail, vault, correlation=Group(3))
    assert set(vault.state.facts) == {"vocabulary"}
    (charge,) = vault.state.charges
    assert [(str(each.unit), float(each.epsilon)) for each in charge.promises] == [
        ("edge-content", pytest.approx(2 / 3)),
    ]
    for unit in ("edge", "edge-content"):
        assert float(vault.total(unit).epsilon) == pytest.approx(2 / 3)


def test_counts_of_a_vocabulary_that_the_vault_did_not_pay_for_are_refused(
    mail: Corpus, tmp_path: Path
) -> None:
    """All its names are published with the counts: a promise that nobody counted would come along unseen."""
    vault = Vault.create(tmp_path / "a.vault", Budget(101.0, 1e-4, Unit.EDGE_CONTENT))
    paid = vocabulary(mail, epsilon=100.0, delta=1e-5, n=1, vault=vault)
    unpaid = vocabulary(mail, epsilon=100.0, delta=1e-5, n=1)
    before = vault.entries()
    with pytest.raises(PrivacyError, match="expected one that this vault paid for"):
        histogram(mail, vocabulary=unpaid, epsilon=1.0, contribution=1, useless=True, vault=vault)
    assert vault.entries() == before
    histogram(mail, vocabulary=paid, epsilon=1.0, contribution=1, useless=True, vault=vault)
    assert float(vault.total().epsilon) == pytest.approx(101)


def test_an_estimate_declares_ties_and_is_charged(mail: Corpus, vault: Vault) -> None:
    estimate_range(mail, epsilon=1.0, contribution=2, vault=vault)
    assert set(vault.state.facts) == {"ties"}
    assert vault.recognises(mail) == 1
    assert vault.total("edge-content").epsilon == 1
    (charge,) = vault.state.charges
    assert sum(vault.state.drawn[charge.entry].body["asked"].values()) == pytest.approx(1.0)


def test_rehearsals_are_charged(mail: Corpus, vault: Vault) -> None:
    counted(mail, vault, rng=1)
    vocabulary(mail, epsilon=3.0, delta=1e-3, vault=vault, rng=1)
    estimate_range(mail, epsilon=1.0, contribution=2, vault=Vault(vault.path, void_promises=True), rng=1)
    assert vault.total("edge-content").epsilon == 6
    assert [entry.rehearsal for entry in vault.state.releases.values()] == [True] * 3


# what is refused after what


@pytest.fixture
def published(vault: Vault) -> Vault:
    """The vault after a network was released."""
    vault.charge(NETWORK)
    return vault


def under_ties(mail: Corpus, edges: PublicEdges) -> list[tuple[str, Callable[[Vault], Any]]]:
    """Return releases for which ties must be public, and what they are called."""
    seen, model = mail.on_edges(edges), Binomial(0.1, 0.12, mail.largest_neighbourhood)
    numbers: dict[str, Any] = {"epsilon": 90.0, "delta": 1e-3, "contribution": 2}
    around = Group.around(mail)
    return [
        ("words histogram", lambda vault: counted(seen, vault)),
        ("words histogram", lambda vault: counted(seen.table(n=1), vault)),
        ("words histogram", lambda vault: counted(mail, vault, correlation=model)),
        ("words histogram", lambda vault: counted(mail, vault, correlation=model.disclaimed())),
        ("words histogram", lambda vault: counted(mail, vault, correlation=around)),
        ("words vocabulary", lambda vault: vocabulary(seen, **numbers, vault=vault)),
        ("words vocabulary", lambda vault: vocabulary(mail, **numbers, correlation=model, vault=vault)),
        ("words correlation", lambda vault: estimate_range(mail, epsilon=1.0, contribution=2, vault=vault)),
    ]


@pytest.mark.long
def test_after_a_network_nothing_may_take_its_ties_for_public(
    mail: Corpus, edges: PublicEdges, published: Vault, no_noise: list[str]
) -> None:
    before = published.entries()
    for name, publish in under_ties(mail, edges):
        with pytest.raises(Contradiction) as refused:
            publish(published)
        said = str(refused.value)
        assert said.startswith(name)
        assert "takes who is tied to whom for public" in said
        assert f"entry {before[-1].number} of {before[-1].time[:10]} (network release)" in said
        assert "promises to hide adding or removing any one tie; nothing was charged" in said
    assert published.entries() == before
    assert not [*published.shelf.folder.glob("*"), *published.shelf.folder.glob(".*")]
    assert no_noise == []


def test_after_a_network_words_without_a_list_are_allowed_and_add_to_it(
    mail: Corpus, published: Vault
) -> None:
    counted(mail, published)
    vocabulary(mail, epsilon=3.0, delta=1e-3, vault=published)
    assert (published.total("edge").epsilon, published.total("edge-content").epsilon) == (
        pytest.approx(5.1),
        5,
    )
    assert "ties" not in published.state.facts


def test_a_promise_is_given_up_by_name_and_later_cards_say_so(
    mail: Corpus, edges: PublicEdges, published: Vault
) -> None:
    (network,) = published.state.releases
    made = counted(mail.on_edges(edges), Vault(published.path, void_promises=True))
    voids = [entry for entry in published.entries() if entry.kind == "void"]
    assert [(entry.body["promised"], entry.body["unit"]) for entry in voids] == [(network, "edge")]
    (sentence,) = published.given_up
    assert "That promise was given up on" in sentence
    assert sentence in made.card.remembered
    assert sentence in counted(mail, published).card.remembered
    with pytest.raises(Contradiction, match="declared public by entry"):
        published.charge(NETWORK)


def test_after_words_on_a_list_no_network_may_promise_to_hide_ties(
    mail: Corpus, edges: PublicEdges, vault: Vault
) -> None:
    counted(mail.on_edges(edges), vault)
    with pytest.raises(
        Contradiction, match=r"network release would promise.*words histogram, geometric noise"
    ):
        vault.charge(NETWORK)


# before anything is drawn


@pytest.fixture
def no_noise(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what was drawn, or asked of a desk, since the test began."""
    drawn: list[str] = []

    def spied(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def spy(*arguments: Any, **options: Any) -> Any:
            drawn.append(name)
            return method(*arguments, **options)

        return spy

    for of, names in ((Noise, ("geometric", "gaussian", "words")), (Desk, ("__call__",))):
        for name in names:
            monkeypatch.setattr(of, name, spied(name, getattr(of, name)))
    return drawn


def test_a_refused_release_has_drawn_nothing(mail: Corpus, tmp_path: Path, no_noise: list[str]) -> None:
    vault = Vault.create(
        tmp_path / "a.vault", Budget(epsilon=1.0, delta=1e-6, unit="edge-content", slack=0.0)
    )
    before = vault.entries()
    for publish in (
        lambda: counted(mail, vault),
        lambda: counted(mail, vault, epsilon=0.5, noise="gaussian", delta=1e-3),
        lambda: vocabulary(mail, epsilon=3.0, delta=1e-7, vault=vault),
        lambda: estimate_range(mail, epsilon=1.5, contribution=2, vault=vault),
        lambda: counted(mail, vault, rng=1),
    ):
        with pytest.raises(BudgetExceeded, match="nothing was charged"):
            publish()
        assert (no_noise, vault.entries()) == ([], before)
    counted(mail, vault, epsilon=1.0)
    assert set(no_noise) == {"__call__", "geometric"}  # the spies would have seen it


def test_what_was_drawn_is_kept_and_comes_back(mail: Corpus, vault: Vault, no_noise: list[str]) -> None:
    made = counted(mail, vault)
    assert made.provenance.receipt is not None
    drawn = [*no_noise]
    back = Vault(vault.path).resume(made.provenance.receipt.number)
    assert back.artifact.noisy.tolist() == made.artifact.noisy.tolist()
    assert (back.guarantee, back.provenance) == (made.guarantee, made.provenance)
    assert no_noise == drawn
    assert vault.total("edge-content").epsilon == 2


# exact composition


def test_gaussian_histograms_compose_exactly(mail: Corpus, tmp_path: Path) -> None:
    """At least twice as many are admitted as by the sum, and never so many that epsilon 3 is exceeded."""
    numbers: dict[str, Any] = {"epsilon": 1.0, "noise": "gaussian", "delta": 1e-6}
    admitted = {}
    for slack in (None, 0.0):
        budget = Budget(epsilon=3.0, delta=1e-5, unit=Unit.EDGE_CONTENT, slack=slack)
        vault = Vault.create(tmp_path / f"{slack}.vault", budget)
        for number in range(1, 50):
            try:
                counted(mail, vault, **numbers)
            except BudgetExceeded:
                admitted[slack] = number - 1
                break
            total = vault.total()
            if slack is None:
                assert total.exact_epsilon is not None
                assert total.exact_epsilon <= 3
                assert total.spent[0] <= 3
                assert total.spent[1] <= 2e-5
                assert float(total.side) <= 1e-5
        assert len(vault.state.charges) == admitted[slack] == len(vault.state.drawn)
    assert admitted[0.0] == 3
    assert admitted[None] >= 2 * 3
