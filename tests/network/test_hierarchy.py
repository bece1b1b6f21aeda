from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from entrenous.errors import ArgumentError, FormatError, MissingDataError
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.network.hierarchy import MOST_BLOCKS, as_hierarchy, blocks, read

PEOPLE = Graph.from_edges([(0, 1)], names=["ann", "bob", "eve"])


@given(st.integers(1, 40), st.integers(1, 50), st.integers(0, 1000))
def test_a_tree_is_cut_into_subtrees_that_cover_all_leaves(n: int, most: int, seed: int) -> None:
    tree = Dendrogram.random(n, seed)
    block = blocks(tree, most=most)
    assert sorted(set(block.tolist())) == list(range(min(most, n)))
    below = {
        frozenset(tree.order[start : start + size].tolist())
        for start, size in zip(tree.starts, tree.sizes, strict=True)
    }
    for number in range(min(most, n)):
        assert frozenset(np.flatnonzero(block == number).tolist()) in below


def test_the_largest_block_is_split_first() -> None:
    comb = Dendrogram.from_nested((((((0, 1), 2), 3), 4), 5))
    assert blocks(comb, most=3).tolist() == [0, 0, 0, 0, 1, 2]


def test_a_partition_is_numbered() -> None:
    assert as_hierarchy(np.array([7, 7, -1]), 3).tolist() == [1, 1, 0]  # type: ignore[union-attr]
    assert blocks(np.array([1, 1, 0]), most=1).tolist() == [1, 1, 0]


@pytest.mark.parametrize("wrong", [[1, 2], [[1, 2, 3]], 5, [[1], [1, 2], [3]], [None, 1, 2]], ids=str)
def test_what_is_no_partition_is_refused(wrong: object) -> None:
    with pytest.raises(ArgumentError, match="hierarchy: expected"):
        as_hierarchy(wrong, 3)  # type: ignore[arg-type]


def test_too_many_blocks_are_refused() -> None:
    assert as_hierarchy(np.arange(MOST_BLOCKS), MOST_BLOCKS) is not None
    with pytest.raises(ArgumentError, match="at most 512 blocks; got 513"):
        as_hierarchy(np.arange(MOST_BLOCKS + 1), MOST_BLOCKS + 1)


@pytest.mark.parametrize(
    "text",
    [
        "ann sales\nbob sales\neve law\n",
        "# departments\nann\tsales\n\nbob\tsales\neve\tlaw\n",
        "eve,law\nann,sales\nbob, sales\n",
    ],
)
def test_partitions_are_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    assert read(tmp_path / "a.txt", PEOPLE).tolist() == [1, 1, 0]  # type: ignore[union-attr]


def test_trees_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.nwk").write_text("((ann,eve),bob);\n")
    assert read(tmp_path / "a.nwk", PEOPLE) == Dendrogram.from_nested(((0, 2), 1))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("ann sales\nbob\neve law\n", 2),
        ("ann sales\nbob sales x\neve law\n", 2),
        ("ann sales\nbob sales\nzoe-confidential law\n", 3),
        ("ann sales\nann sales\n", 2),
        ("ann sales\nbob sales\n", None),
        ("", None),
    ],
)
def test_bad_files_are_named_by_line_and_never_quoted(tmp_path: Path, text: str, line: int | None) -> None:
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(FormatError, match=r"a\.txt") as caught:
        read(tmp_path / "a.txt", PEOPLE)
    assert caught.value.line == line
    assert not [name for name in ("ann", "bob", "eve", "zoe", "sales") if name in str(caught.value)]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"none\.txt"):
        read(tmp_path / "none.txt", PEOPLE)
    (tmp_path / "latin").write_bytes(b"ann caf\xe9\n")
    with pytest.raises(FormatError, match="UTF-8"):
        read(tmp_path / "latin", PEOPLE)
