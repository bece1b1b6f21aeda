from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entrenous.datasets import organization
from entrenous.datasets.organization import Organization
from entrenous.errors import ArgumentError
from entrenous.hrg import Dendrogram


@pytest.fixture(scope="module")
def company() -> Organization:
    return organization(1000, seed=11)


def test_a_seed_gives_the_same_organization_and_another_seed_another(company: Organization) -> None:
    again = organization(1000, seed=11)
    assert again.graph == company.graph
    assert np.array_equal(again.manager, company.manager)
    assert organization(1000, seed=12).graph != company.graph


@settings(max_examples=30, deadline=None)
@given(persons=st.integers(10, 400), seed=st.integers(0, 10**6))
def test_every_size_gives_a_whole_organization(persons: int, seed: int) -> None:
    company = organization(persons, seed=seed)
    assert company.graph.n == persons
    assert company.graph.degrees.min() >= 1
    assert len(np.unique(company.department)) >= 2
    assert np.bincount(company.team).min() >= 3
    assert_reporting_lines_are_a_tree(company)


def assert_reporting_lines_are_a_tree(company: Organization) -> None:
    (root,) = np.flatnonzero(company.manager == -1)
    above = np.where(company.manager == -1, root, company.manager)
    for _ in range(20):
        above = above[above]
    assert (above == root).all()


@pytest.mark.long
def test_a_large_organization_takes_seconds() -> None:
    start = time.process_time()
    company = organization(100_000, seed=1)
    assert time.process_time() - start < 10
    assert company.graph.n == 100_000
    assert_reporting_lines_are_a_tree(company)


def test_a_team_lies_in_one_department(company: Organization) -> None:
    places = set(zip(company.team.tolist(), company.department.tolist(), strict=True))
    assert len(places) == len(np.unique(company.team))


def test_reporting_lines_are_ties(company: Organization) -> None:
    reports = np.flatnonzero(company.manager >= 0)
    assert all(company.graph.has_edge(int(person), int(company.manager[person])) for person in reports)


def test_teams_and_departments_are_assortative(company: Organization) -> None:
    edges = company.graph.edges()
    rng = np.random.default_rng(0)
    for places in (company.team, company.department):
        inside = np.mean(places[edges[:, 0]] == places[edges[:, 1]])
        by_chance = np.mean(places[edges[:, 0]] == places[rng.permutation(edges[:, 1])])
        assert inside > 4 * by_chance


def test_degrees_have_a_heavy_tail(company: Organization) -> None:
    degrees = company.graph.degrees
    poisson = np.random.default_rng(0).poisson(degrees.mean(), len(degrees))
    assert degrees.max() > 1.5 * poisson.max()
    assert degrees.max() > 4 * np.median(degrees)


def test_friends_of_friends_are_friends(company: Organization) -> None:
    adjacency = company.graph.to_scipy()
    paths = adjacency @ adjacency
    closed = (paths * adjacency).sum()
    possible = paths.sum() - paths.diagonal().sum()
    density = 2 * company.graph.m / company.graph.n**2
    assert closed / possible > 10 * density


def test_the_hierarchy_names_everybody_once(company: Organization) -> None:
    newick = company.newick()
    assert newick.count("(") == newick.count(")")
    leaves = [label for label in newick.replace("(", ",").replace(")", ",").split(",") if "@" in label]
    assert sorted(leaves) == sorted(company.graph.names or ())


def test_the_hierarchy_can_be_read_as_a_dendrogram(company: Organization) -> None:
    dendrogram = Dendrogram.from_newick(company.newick(), names=company.graph.names)
    assert dendrogram.n == company.graph.n
    rng = np.random.default_rng(0)
    shuffled = company.graph.with_edges(rng.permutation(company.graph.n)[company.graph.edges()])
    assert dendrogram.log_likelihood(company.graph) > dendrogram.log_likelihood(shuffled)


@pytest.mark.parametrize("persons", [9, 1_000_001, 12.5])
def test_impossible_sizes_are_refused(persons: int) -> None:
    with pytest.raises(ArgumentError, match="persons"):
        organization(persons, seed=1)
