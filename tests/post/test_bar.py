"""Yardsticks of the impacting bar on an ideal run, and on a computed one."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.post import bar as yard


def test_theory_of_the_paper():
    exact = yard.bar_theory(E=2.1e11, density=7800.0, area=3.14159265358979e-4, length=1.0, speed=-0.1)
    assert exact.contact_time == pytest.approx(3.8545e-4, rel=1e-5)
    assert exact.force == pytest.approx(1271.472, rel=1e-6)
    assert exact.speed == 0.1


def test_theory_is_read_from_the_run(bar):
    exact = yard.theory_of(bar)
    assert (exact.contact_time, exact.force, exact.speed) == pytest.approx((2.0, 3.0, 0.5))


@pytest.mark.parametrize("spoil", ["material", "velocity", "load", "away", "mesh"])
def test_no_theory_for_other_runs(bar, block, spoil):
    if spoil == "material":
        bar.attrs["material"] = ""
    elif spoil == "velocity":
        bar.fields.v[0, 2] = 0.1
    elif spoil == "load":
        bar.steps.work.external[3] = 0.1
    elif spoil == "away":
        bar.steps.contact.u[0] = 0.5
    else:
        bar = block
    assert yard.theory_of(bar) is None


def test_contact_time_and_force(bar):
    assert yard.contact_interval(bar) == pytest.approx((0.5, 2.5))
    assert yard.contact_time(bar) == pytest.approx(2.0)
    assert yard.mean_contact_force(bar) == pytest.approx(3.0)
    assert yard.contact_force(bar)[6] == pytest.approx(3.0)
    assert yard.contact_force(bar)[5] == 0.0


def test_chatter_counts_from_first_to_last_contact(bar):
    bar.steps.contact.p[10:15] = 0.0
    assert yard.contact_time(bar) == pytest.approx(2.0)
    assert yard.mean_contact_force(bar) == pytest.approx(3.0 * 15 / 20)


def test_no_contact(bar):
    bar.steps.contact.p[:] = 0.0
    assert yard.contact_interval(bar) is None
    assert yard.contact_time(bar) == 0.0
    assert yard.mean_contact_force(bar) == 0.0
    assert yard.rebound_velocity(bar) is None


def test_violation_is_the_deepest_gap(bar):
    assert yard.violation(bar) == pytest.approx(0.01)
    bar.steps.contact.gap[:] = 0.3
    assert str(yard.violation(bar)) == "0.0"


def test_centre_of_mass_weighs_the_ends_by_half(bar):
    times, v = yard.centre_velocity(bar)
    assert times == pytest.approx([0, 1, 2, 3, 4])
    assert v[:, 0] == pytest.approx([-0.5, -0.5 + 0.01, 0.51, 0.51, 0.51])


def test_rebound_is_the_mean_after_the_last_contact(bar):
    bar.fields.v[3] += 0.2  # t = 3
    assert yard.rebound_velocity(bar) == pytest.approx([0.51 + 0.1])


def test_centre_of_mass_of_triangles(block):
    _, v = yard.centre_velocity(block)
    assert v == pytest.approx(np.tile([1.5, 0.0], (3, 1)))
    block.fields.v[0, 1::2] = block.mesh.points[:, 0]  # linear in x: its mean is that of x, 2 mm
    assert yard.centre_velocity(block)[1][0] == pytest.approx([1.5, 2.0])
