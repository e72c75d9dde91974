"""The figures of the bar's contact force: panels without a run are not left as empty axes."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from fem_contact.io.run import open_run
from fem_contact.studies._bar import force_figure, spec
from fem_contact.studies.execute import obtain


@pytest.mark.parametrize(("runs", "labels"), [(3, ["", "time", "time"]), (4, ["", "", "time", "time"])])
def test_axes_without_a_run_are_hidden(runs, labels, tmp_path):
    run = open_run(obtain(spec(2e-5, 10, 6.8e-4), tmp_path).path)
    figure = force_figure({f"run {k}": run for k in range(runs)}, "Contact force")
    seen = [axis for axis in figure.axes if axis.get_visible()]
    assert len(seen) == runs
    assert [axis.get_xlabel()[:4] for axis in seen] == labels
    assert all(axis.has_data() for axis in seen)
    plt.close(figure)
