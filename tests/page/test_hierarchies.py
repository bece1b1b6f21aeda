from __future__ import annotations

import re

import numpy as np
import pytest

from entrenous.page.pictures import hierarchies


def test_every_joint_is_drawn_where_its_branches_end() -> None:
    # ((0, 1), (2, 3)): gaps 0 and 2 join first, gap 1 last and highest.
    svg = hierarchies.dendrogram([0, 2, 1], np.array([2, 4, 2]), np.array([1.0, 0.25, 0.0]))
    corner = r"([\d.]+) ([\d.]+) \n"
    joints = re.findall(
        rf'<path d="M {corner}L {corner}L {corner}L {corner}" clip-path="[^"]*" style="fill: none', svg
    )
    assert len(joints) == 3
    (left, right, top) = ([float(number) for number in joint] for joint in joints)
    middle_left, middle_right = (left[0] + left[4]) / 2, (right[0] + right[4]) / 2
    assert [top[0], top[4]] == pytest.approx([middle_left, middle_right], abs=0.01)
    assert top[1] == pytest.approx(left[3], abs=0.01)  # it starts at the height of the joint below
