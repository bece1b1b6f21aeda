"""What we hand out: the wheel, installed where nothing else is, with each Python of ENTRENOUS_PYTHONS."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import entrenous

pytestmark = pytest.mark.wheel
ROOT = Path(__file__).resolve().parents[1]
PYTHONS = os.environ.get("ENTRENOUS_PYTHONS", sys.executable).split()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module", params=PYTHONS, ids=lambda python: Path(python).name)
def bare(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the wheel and what it needs, and no extra."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([request.param, "-m", "venv", "--without-pip", folder], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", "--quiet"]
    lock = ["--constraint", str(ROOT / "requirements.lock"), "--no-compile"]
    subprocess.run([*pip, *lock, str(wheel)], check=True, capture_output=True)
    return folder / "bin"


def run(*command: str | Path, cwd: Path, fails: bool = False) -> str:
    """Run a command outside this repository, without what this run knows of it, and return what it says."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, cwd=cwd, env=kept, capture_output=True, text=True, check=not fails)
    assert bool(done.returncode) == fails
    return done.stdout + done.stderr


def test_it_imports_helps_and_releases(bare: Path, tmp_path: Path) -> None:
    program = "import entrenous; print(entrenous.__version__, entrenous.__file__)"
    version, file = run(bare / "python", "-c", program, cwd=tmp_path).split()
    assert version == entrenous.__version__
    assert Path(file).is_relative_to(bare.parent)
    assert "network" in run(bare / "entrenous", "--help", cwd=tmp_path)

    run(bare / "entrenous", "datasets", "organization", "60", "--seed", "1", "--out", "company", cwd=tmp_path)
    release = ["network", "release", "company/graph.edges", "--epsilon", "1", "--out", "public"]
    made = run(bare / "entrenous", *release, cwd=tmp_path)
    assert "epsilon" in made
    assert (tmp_path / "public" / "guarantee.json").is_file()
    run(bare / "entrenous", "access", "mediate", "thesis-oc", "--picture", "photo.svg", cwd=tmp_path)


def test_what_needs_an_extra_names_it(bare: Path, tmp_path: Path) -> None:
    (tmp_path / "mail.jsonl").write_text('{"from": "a@x.org", "to": ["b@x.org"], "body": "hello"}\n')
    said = run(
        bare / "entrenous", "words", "read", "mail.jsonl", "--out", "mail.corpus", cwd=tmp_path, fails=True
    )
    assert "entrenous[words]" in said
