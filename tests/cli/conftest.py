"""The registry of solvers as it was, whatever a test puts in or takes out."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def same_solvers_afterwards():
    from fem_contact.solvers.registry import SOLVERS

    places = dict(SOLVERS._places)
    yield
    SOLVERS._places.clear()
    SOLVERS._places.update(places)
