"""The commands of `entrenous attack`, as a user runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from entrenous import attack, datasets
from entrenous.attack import settings
from entrenous.attack.audit import broken_settings
from entrenous.attack.replay import Compared, Part
from entrenous.cli import app
from entrenous.hrg import Dendrogram
from entrenous.network.statistics import Degrees
from entrenous.price import Price
from entrenous.unit import Unit

PAPER = ("--p0", 0.0277, "--p1", 0.2739, "--neighbours", 1883)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_words_by_a_stated_belief(tmp_path: Path) -> None:
    page = tmp_path / "words.html"
    result = run("attack", "words", *PAPER, "--epsilon", 1, "--out", page)
    assert result.exit_code == 0, result.output
    assert "278" in result.stdout
    assert "Talking alike gives secrets away" in page.read_text(encoding="utf-8")
    found = json.loads(run("attack", "words", *PAPER, "--epsilon", 1, "--json").stdout)["findings"]
    by_pair = {(each["release"], each["attacker"]): each for each in found}
    assert by_pair["edge level", "neighbours talk alike"]["measured"] > 600
    assert by_pair["correlated edge", "neighbours talk alike"]["measured"] == pytest.approx(1.0)
    assert not any(each["broken"] for each in found)


@pytest.mark.long
def test_words_on_a_corpus(tmp_path: Path) -> None:
    mail, corpus = tmp_path / "mail.jsonl", tmp_path / "mail.corpus"
    messages = datasets.organization(30, seed=1).messages(300)
    mail.write_text("\n".join(json.dumps(each, default=str) for each in messages), encoding="utf-8")
    assert run("words", "read", mail, "--out", corpus).exit_code == 0
    page = tmp_path / "page.html"
    result = run("attack", "words", corpus, "--epsilon", 1, "--out", page, "--json")
    assert result.exit_code == 0, result.output
    assert "private" in result.stderr
    found = json.loads(result.stdout)["auc_on_corpus"]
    assert found["true counts"] > found["correlated edge"] > found["group"]
    assert "contains private information" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--p0", 0.1, "--epsilon", 1), "all three"),
        (("--epsilon", 1), "or a corpus"),
        ((*PAPER, "--epsilon", 0), "epsilon"),
        ((*PAPER, "--epsilon", 1, "--out", "nowhere/page.html"), "cannot be written"),
    ],
    ids=["incomplete", "nothing", "epsilon", "page"],
)
def test_wrong_calls_are_one_line(options: tuple[object, ...], problem: str) -> None:
    result = run("attack", "words", *options)
    assert result.exit_code == 1
    assert problem in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_there_is_no_default_epsilon(club: Path) -> None:
    assert run("attack", "words", *PAPER).exit_code == 2
    assert run("attack", "network", club).exit_code == 2


@pytest.mark.long
def test_network(club: Path, tmp_path: Path) -> None:
    page = tmp_path / "network.html"
    options = (
        "--epsilon",
        1,
        "--method",
        "tmf",
        "--trials",
        80,
        "--together",
        1,
        "--together",
        2,
        "--seed",
        1,
    )
    result = run("attack", "network", club, *options, "--out", page)
    assert result.exit_code == 0, result.output
    assert "guessed right by readers" in result.stdout
    assert "do not publish" in result.stderr
    assert 'id="alarms-title"' in page.read_text(encoding="utf-8")
    one, two = json.loads(run("attack", "network", club, *options, "--json").stdout)
    assert (one["stated"], two["stated"]) == (1.0, 2.0)
    assert not one["broken"]
    assert 0 <= one["guess"]["precision"] <= 1


def test_links(club: Path, tmp_path: Path) -> None:
    club_graph = datasets.karate_club()
    kept, page = tmp_path / "kept.nwk", tmp_path / "links.html"
    Dendrogram.random(34, rng=5).write(kept, names=[club_graph.name(node) for node in range(34)])
    result = run("attack", "links", club, "--hierarchy", kept, "--out", page)
    assert result.exit_code == 0, result.output
    assert "all but one" in result.stdout
    assert "No formal guarantee" in result.stdout
    found = json.loads(run("attack", "links", club, "--hierarchy", kept, "--share", 0.5, "--json").stdout)
    assert [each["share"] for each in found] == [0.5]
    assert found[0]["stated"] is None
    assert run("attack", "links", club, "--share", 1.5).exit_code == 2


def test_access(tmp_path: Path) -> None:
    page = tmp_path / "access.html"
    result = run("attack", "access", "limits", "--groups", 40, "--seed", 1, "--out", page)
    assert result.exit_code == 0, result.output
    assert "mediation, consensus" in result.stdout
    assert "dora" in result.stdout
    assert "do not publish" in result.stderr
    found = json.loads(run("attack", "access", "--groups", 20, "--seed", 1, "--json").stdout)
    assert [each["spreader_past"] for each in found["mediation"] if each["limits"]] == [0.0] * 2
    assert {each["rule"] for each in found["rules"]} == {"majority", "veto", "uploader", "average"}
    assert "item" not in found


@pytest.mark.long
def test_audit_holds_and_catches(tmp_path: Path) -> None:
    page = tmp_path / "audit.html"
    name = "words: histogram, geometric"
    assert name in settings()
    result = run("attack", "audit", "--setting", name, "--effort", 0.2, "--seed", 1, "--out", page)
    assert result.exit_code == 0, result.output
    assert "holds" in result.stdout
    assert name in page.read_text(encoding="utf-8")
    wrong = next(iter(broken_settings()))
    caught = run("attack", "audit", "--broken", "--setting", wrong, "--seed", 1, "--json")
    assert caught.exit_code == 0, caught.output
    assert json.loads(caught.stdout)[0]["broken"]


@pytest.mark.long
def test_side_channels(club: Path, tmp_path: Path) -> None:
    page = tmp_path / "side-channels.html"
    options = ("--epsilon", 1, "--method", "chung-lu", "--runs", 10, "--seed", 1)
    result = run("attack", "side-channels", club, *options, "--out", page)
    assert result.exit_code == 0, result.output
    assert "this graph" in " ".join(result.stdout.split())
    assert "A rehearsal" in result.stdout
    assert "it is private" in result.stderr
    assert "contains private information" in page.read_text(encoding="utf-8")
    invented = run("attack", "side-channels", *options, "--json")
    assert "private" not in invented.stderr
    found = {
        (each["mechanism"], each["quantity"]): each
        for each in json.loads(invented.stdout)
        if "auc" in each["details"]
    }
    drawn = found["network: chung-lu, a company of 250", "AUC of noisy numbers drawn"]
    assert (drawn["measured"], drawn["details"]["constant"], drawn["stated"]) == (0.5, 1.0, None)
    assert found["network: chung-lu, a company of 250", "AUC of size of all files"]["verdict"] == "holds"


def test_side_channels_need_an_epsilon_and_a_known_method(club: Path) -> None:
    assert run("attack", "side-channels", club).exit_code == 2
    result = run("attack", "side-channels", club, "--epsilon", 1, "--method", "vocabulary")
    assert result.exit_code == 1
    assert "expected one of" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("sound", [True, False])
def test_the_whole_audit_replays_releases_as_well(
    sound: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What takes long is not run here: the command puts together what attacks and replays return."""
    price, page = Price(epsilon=1.0), tmp_path / "audit.html"
    part = Part("degrees", price, Price(epsilon=0.8), 0.1)
    seen: list[dict[str, object]] = []

    def replays(**options: object) -> list[attack.Replay]:
        seen.append(options)
        compared = Compared("one tie less", price, (part,), same_published=sound)
        return [attack.Replay("network: owner", Unit.EDGE, price, (compared,))]

    found = attack.Finding("network: owner, slots", "edge", "canary", stated=1.0, measured=0.6, trials=9)
    monkeypatch.setattr(attack, "audit_settings", lambda *_, **__: [found])
    monkeypatch.setattr(attack, "replays", replays)
    for other in ("low_bits", "linkage", "broadcasts"):
        monkeypatch.setattr(attack, other, lambda **_: [])
    result = run("attack", "audit", "--seed", 7, "--out", page, "--json")
    assert result.exit_code == int(not sound), result.output
    assert [options["rng"] for options in seen] == [7]
    told = json.loads(result.stdout)
    assert [each["measured"] for each in told] == [0.6, 0.8 if sound else None]
    assert [each["broken"] for each in told] == [False, not sound]
    text = page.read_text(encoding="utf-8")
    assert ("1 promise, none broken." if sound else "1 promise, 1 broken (owner).") in text
    table = run("attack", "audit")
    assert table.exit_code == int(not sound)
    assert "replayed" in table.stdout
    assert ("BROKEN" in table.stdout) != sound
    run("attack", "audit", "--setting", "network: owner, slots")
    assert len(seen) == 2  # one setting alone: nothing else


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom entrenous.cli.attack import app\n"
        "heavy = {'numpy', 'numba', 'scipy', 'entrenous.attack'} & set(sys.modules)\nassert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_release_is_replayed_on_neighbours_of_the_graph(tmp_path: Path) -> None:
    club, page = tmp_path / "club.edges", tmp_path / "page.html"
    datasets.karate_club().write(club)
    result = run("attack", "replay", club, "--epsilon", 1, "--neighbours", 4, "--seed", 1, "--out", page)
    assert result.exit_code == 0, result.output
    assert "could tell" in result.stdout
    assert "network: owner (edge), 4 neighbours: holds" in result.stdout
    assert "contains private information" in page.read_text(encoding="utf-8")
    told = json.loads(
        run("attack", "replay", club, "--epsilon", 1, "--neighbours", 2, "--method", "tmf", "--json").stdout
    )
    assert (told["verdict"], told["faults"]) == ("holds", [])
    assert [each["name"] for each in told["questions"]] == ["size", "pairs"]
    assert all(each["can_tell"] <= each["paid"] * (1 + 1e-9) for each in told["questions"])


def test_a_replay_that_finds_something_wrong_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    club, page = tmp_path / "club.edges", tmp_path / "page.html"
    datasets.karate_club().write(club)
    monkeypatch.setattr(Degrees, "stability", {Unit.EDGE: 1})
    result = run(
        "attack", "replay", club, "--epsilon", 1, "--method", "dgg", "--neighbours", 3, "--out", page
    )
    assert result.exit_code == 1
    assert "BROKEN" in result.stdout
    assert "degrees: paid epsilon 1, and can tell epsilon 2" in result.stderr
    assert "What is wrong" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("more", [("--unit", "message"), ("--delta", 1e-5)])
def test_options_of_mail_are_refused_for_a_graph(tmp_path: Path, more: tuple[object, ...]) -> None:
    club = tmp_path / "club.edges"
    datasets.karate_club().write(club)
    result = run("attack", "replay", club, "--epsilon", 1, *more)
    assert result.exit_code != 0
    assert "expected a corpus for these" in result.output + str(result.exception)


@pytest.mark.long
def test_words_are_replayed_on_mail_without_one_unit(tmp_path: Path) -> None:
    mail, corpus = tmp_path / "mail.jsonl", tmp_path / "mail.corpus"
    messages = datasets.organization(30, seed=1).messages(300)
    mail.write_text("\n".join(json.dumps(each, default=str) for each in messages), encoding="utf-8")
    assert run("words", "read", mail, "--out", corpus).exit_code == 0
    asked = ("attack", "replay", corpus, "--epsilon", 8, "--neighbours", 4, "--seed", 1)
    result = run(*asked, "--delta", 1e-6, "--n", 1, "--unit", "all")
    assert result.exit_code == 0, result.output
    assert "words: vocabulary, guided, n = 1 (all-of-mail), 4 neighbours: holds" in result.stdout
    listed = tmp_path / "list.txt"
    listed.write_text("budget\nmeeting\n", encoding="utf-8")
    told = json.loads(run(*asked, "--words", listed, "--json").stdout)
    assert (told["mechanism"], told["verdict"]) == ("words: histogram, geometric", "holds")
    edges = tmp_path / "edges.txt"
    edges.write_text(
        "\n".join(
            f"{each['from']} {each['to'][0]}" for each in datasets.organization(30, seed=1).messages(300)
        ),
        encoding="utf-8",
    )
    listed.write_text("# a note\nbudget\n meeting \n", encoding="utf-8")
    told = json.loads(run(*asked, "--words", listed, "--edges", edges, "--json").stdout)
    assert told["verdict"] == "holds"
    absent = run(*asked, "--words", tmp_path / "absent.txt")
    assert "--words: absent.txt cannot be read" in absent.output + str(absent.exception)
    graphs = run(*asked, "--words", listed, "--steps", 5, "--method", "tmf")
    assert "--method, --steps: expected a graph for these" in graphs.output + str(graphs.exception)
    missing = run(*asked)
    assert "--delta" in missing.output + str(missing.exception)


def test_one_release_with_planted_ties(club: Path, tmp_path: Path) -> None:
    page = tmp_path / "planted.html"
    options = ("--method", "chung-lu", "--epsilon", 2, "--added", 800, "--seed", 1)
    result = run("attack", "release", club, *options, "--out", page)
    assert result.exit_code == 0, result.output
    assert "A rehearsal" in result.stdout
    assert "longer by 800" in result.stderr
    assert "contains private information" in page.read_text(encoding="utf-8")
    found = json.loads(run("attack", "release", club, *options, "--json").stdout)
    assert [each["stated"] for each in found] == [2.0, 2.0]
    assert 0.5 < found[0]["measured"] < 2.5
    assert found[0]["details"]["added nodes"] == 800


def test_one_release_needs_a_graph_with_room(club: Path, tmp_path: Path) -> None:
    result = run("attack", "release", club, "--epsilon", 2, "--canaries", 400)
    assert result.exit_code == 1
    assert "half of the 483 pairs that are not tied" in result.stderr


@pytest.mark.long
def test_one_release_with_planted_letters(tmp_path: Path) -> None:
    mail, corpus, listed = (tmp_path / name for name in ("mail.jsonl", "mail.corpus", "public.txt"))
    messages = datasets.organization(12, seed=1).messages(40)
    mail.write_text("".join(f"{json.dumps(each, default=str)}\n" for each in messages), encoding="utf-8")
    assert run("words", "read", mail, "--out", corpus).exit_code == 0
    listed.write_text("# public\nthe\nmeeting\n", encoding="utf-8")
    page = tmp_path / "planted.html"
    options = ("--epsilon", 4, "--delta", 1e-5, "--canaries", 100, "--seed", 1)
    result = run("attack", "release", corpus, *options, "--out", page)
    assert result.exit_code == 0, result.output
    assert "A rehearsal" in result.stdout
    assert "edge-and-message" in page.read_text(encoding="utf-8")
    counted = ("--what", "histogram", "--unit", "sender", "--words", listed)
    found = json.loads(run("attack", "release", corpus, *counted, *options, "--json").stdout)
    assert [each["unit"] for each in found] == ["sender"] * 3
    assert all(each["beyond_doubt"] < 4 for each in found)
    pure = json.loads(
        run(
            "attack", "release", corpus, *counted, "--epsilon", 2, "--seed", 1, "--canaries", 600, "--json"
        ).stdout
    )
    assert 0.8 < pure[0]["measured"] < 2
    assert pure[0]["details"]["canaries"] == 600
    refused = run("attack", "release", corpus, "--epsilon", 2)
    assert refused.exit_code == 1
    assert "delta" in refused.stderr
