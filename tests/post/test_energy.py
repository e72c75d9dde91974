"""The energy budget of runs whose numbers are known."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.post.energy import (
    ROUND_OFF,
    budget,
    compare,
    cumulated_works,
    energy_scale,
    energy_table,
    mismatch,
)


def test_cumulated_works_are_sums_from_the_start(block):
    works = cumulated_works(block)
    assert works["external"][0] == 0.0
    assert works["external"][[1, 40]] == pytest.approx([0.5, 20.0])
    assert works["contact_tangential"][-1] == pytest.approx(-0.2 * 40 + 4 * 0.02)
    assert not works["damping"].any()


def test_budget_meets_the_total_energy(block):
    assert np.abs(mismatch(block)).max() < 1e-13
    assert budget(block)[-1] == pytest.approx(3.0 + 20.0 - 8.0 + 0.08)


def test_mismatch_is_the_sum_of_the_residuals(make_block):
    run = make_block()
    run.steps.work.external[7] += 0.25  # a work that never reached the body
    assert mismatch(run)[6] == pytest.approx(0.0, abs=1e-13)
    assert mismatch(run)[7:] == pytest.approx(-0.25, abs=1e-12)


def test_table_of_the_block(block):
    table = energy_table(block)
    assert (table.total_start, table.kinetic_start, table.elastic_start) == pytest.approx((3.0, 0.75, 2.25))
    assert table.total_end == table.total_max == table.scale == pytest.approx(15.08)
    assert table.external == pytest.approx(20.0)
    assert table.support == pytest.approx(10.0)
    assert table.contact_tangential == pytest.approx(-7.92)
    assert (table.positive_steps, table.positive_nodes) == (4, 1)
    assert table.positive_tangential == pytest.approx(0.08)
    assert table.tangential_max == pytest.approx(0.02)
    assert table.tangential_relative == pytest.approx(0.02 / 15.08)
    assert table.normal_max == 0.0
    assert 0.0 <= table.residual_relative < 1e-15


def test_largest_is_sought_over_all_steps(assume_peak):
    table = energy_table(assume_peak)
    assert (table.kinetic_max, table.elastic_max, table.total_max) == pytest.approx((5.0, 4.0, 6.0))
    assert energy_scale(assume_peak) == pytest.approx(6.0)
    assert table.residual_max == pytest.approx(0.5)
    assert table.residual_relative == pytest.approx(0.5 / 6.0)


@pytest.fixture
def assume_peak(assemble_run):
    contact = {"p": np.zeros((3, 1, 2))}
    return assemble_run([0, 1, 2], ([1, 5, 2], [2, 1, 4]), {}, contact, residual=[0.0, -0.5, 0.25])


def test_round_off_is_no_positive_work(make_block):
    run = make_block(positive=False)
    run.steps.contact.work_tangential[5, 4] = 0.9 * ROUND_OFF * energy_scale(run)
    table = energy_table(run)
    assert (table.positive_steps, table.positive_nodes, table.positive_tangential) == (0, 0, 0.0)
    assert table.tangential_max > 0.0  # still told, as it is
    run.steps.contact.work_tangential[5, 4] = 1.1 * ROUND_OFF * energy_scale(run)
    assert energy_table(run).positive_steps == 1


def test_only_negative_work_has_a_negative_largest(assemble_run):
    work = np.array([[0.0], [-0.3], [-0.1]])
    run = assemble_run(
        [0, 1, 2], ([1, 1, 1], [0, 0, 0]), {}, {"p": np.ones((3, 1, 2)), "work_tangential": work}
    )
    assert energy_table(run).tangential_max == pytest.approx(-0.1)


def test_a_scheme_without_identity_has_no_residual(make_block):
    run = make_block()
    run.steps.residual[1:] = np.nan
    table = energy_table(run)
    assert np.isnan([table.residual_max, table.residual_relative, table.mismatch_end]).all()
    assert np.isfinite(table.total_end)


def test_no_contacts_give_no_contact_numbers(assemble_run):
    table = energy_table(assemble_run([0, 1], ([1, 1], [0, 0]), {}, {"p": np.zeros((2, 0, 2))}))
    assert (table.positive_steps, table.positive_nodes) == (0, 0)
    assert np.isnan([table.tangential_max, table.normal_max]).all()


def test_compare_keeps_the_order_of_runs(make_block):
    table = compare([make_block(), make_block(positive=False)])
    assert table["positive_nodes"] == (1, 0)
    assert table["total_end"] == pytest.approx((15.08, 15.0))
