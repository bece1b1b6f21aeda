"""Faults of units and promises: what is said to be hidden."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

PROMISES = (
    Mutant(
        "composition takes the larger epsilon",
        "guarantee.py",
        "epsilon, delta = exact(self.epsilon) + exact(other.epsilon), exact(self.delta) + exact(other.delta)",
        "epsilon, delta = max(exact(self.epsilon), exact(other.epsilon)), exact(self.delta) + exact(other.delta)",
        "tests/test_guarantee.py::test_composition_adds_decimals_exactly",
    ),
    Mutant(
        "a composed promise forgets what the second one assumes",
        "guarantee.py",
        "assumptions=tuple(dict.fromkeys(self.assumptions + other.assumptions)),",
        "assumptions=self.assumptions,",
        "tests/test_guarantee.py::test_composition_keeps_every_assumption_once",
    ),
    Mutant(
        "a composed promise hangs on nothing",
        "guarantee.py",
        '            conditional=" and on ".join(dict.fromkeys(c for c in (self.conditional, other.conditional) if c))\n'
        "            or None,",
        "            conditional=None,",
        "tests/test_guarantee.py::test_composition_keeps_every_assumption_once",
    ),
    Mutant(
        "promises for different units add up",
        "guarantee.py",
        "        if self.unit != other.unit:\n",
        "        if False:\n",
        "tests/test_guarantee.py::test_levels_are_composed_before_converting",
    ),
    Mutant(
        "Pufferfish promises add up",
        "guarantee.py",
        "        if Kind.PUFFERFISH in (self.kind, other.kind):\n",
        "        if False:\n",
        "tests/test_guarantee.py::test_what_does_not_compose_says_so",
    ),
    Mutant(
        "one tenth is the nearest double",
        "guarantee.py",
        "    return value if isinstance(value, Fraction) else Fraction(str(value))",
        "    return value if isinstance(value, Fraction) else Fraction(value)",
        "tests/test_guarantee.py::test_composition_adds_decimals_exactly",
    ),
    Mutant(
        "the vault is charged what a belief makes of it",
        "guarantee.py",
        "        return self if self.level is None else self.level",
        "        return self",
        "tests/test_guarantee.py::test_a_correlated_promise_prints_the_number_for_one_ngram_and_the_level_without_assumption",
    ),
    Mutant(
        "words say nothing about ties",
        "unit.py",
        'parts={"ties": "edge", "contents": "edge-content"},',
        'parts={"ties": "edge"},',
        "tests/vault/test_rules.py::test_a_tie_goes_with_what_passes_on_it",
    ),
    Mutant(
        "to replace a content is hidden as well as to remove it",
        "unit.py",
        '    {"replaced-content": 2},\n    parts={"contents": "edge-content"},',
        '    {"replaced-content": 1},\n    parts={"contents": "edge-content"},',
        "tests/test_unit.py::test_no_detour_by_another_unit_says_more_than_the_direct_way",
    ),
    Mutant(
        "an edge has one writer",
        "unit.py",
        '{"replaced-sender": 2, "edge-content": 4, "replaced-content": 4}',
        '{"replaced-sender": 2, "edge-content": 2, "replaced-content": 4}',
        "tests/test_unit.py::test_two_people_write_on_an_edge",
    ),
    Mutant(
        "a message hides its thread",
        "unit.py",
        '    "message",\n    "adding or removing one message with all its copies",\n',
        '    "message",\n    "adding or removing one message with all its copies",\n    {"thread": 1},\n',
        "tests/test_unit.py::test_to_hide_a_part_does_not_hide_the_whole",
    ),
)
