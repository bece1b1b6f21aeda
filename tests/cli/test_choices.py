"""Options that take names of a registry: help shows them all, and another word is refused."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from entrenous.cli import app
from entrenous.cli.choices import REGISTRIES, described, names

OPTIONS = [
    ("network release", "--method", "method"),
    ("network release", "--utility", "utility"),
    ("network release", "--format", "format"),
    ("network benchmark", "--methods", "method"),
    ("links compare", "--methods", "links method"),
    ("words histogram", "--unit", "words unit"),
    ("words histogram", "--noise", "noise"),
    ("words vocabulary", "--weighting", "weighting"),
    ("words correlate", "--belief", "measured belief"),
    ("words read", "--engine", "engine"),
    ("attack network", "--method", "method"),
    ("budget create", "--unit", "unit"),
    ("budget declare", "--fact", "fact"),
]


def unframed(text: str) -> str:
    """What a frame shows, in one line."""
    return " ".join(text.replace("│", " ").split())


@pytest.mark.parametrize("registry", REGISTRIES)
def test_every_registry_is_there_and_an_option_reads_it(registry: str) -> None:
    found = names(registry)
    assert len(found) == len(set(found)) >= 2
    assert registry in {each for _, _, each in OPTIONS} | {"graph format"}  # which an argument's help shows


@pytest.mark.parametrize(("command", "option", "registry"), OPTIONS)
def test_help_and_refusals_name_what_there_is(command: str, option: str, registry: str) -> None:
    shown = CliRunner().invoke(app, [*command.split(), "--help"])
    assert shown.exit_code == 0
    assert described(registry) in unframed(shown.output)
    assert not [each for each in REGISTRIES if f"{{{each}}}" in unframed(shown.output)]
    refused = CliRunner().invoke(app, [*command.split(), option, "nothing"])
    assert refused.exit_code == 2
    assert f"expected one of {', '.join(names(registry))}; got another word" in unframed(refused.output)


def test_one_wrong_word_among_several_is_refused() -> None:
    refused = CliRunner().invoke(
        app, ["links", "compare", "--methods", f"{names('links method')[0]},nothing"]
    )
    assert refused.exit_code == 2
    assert "got another word" in refused.output


def test_registries_load_when_they_are_asked_for() -> None:
    code = "import sys; from entrenous.cli import app; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
