"""The material of a run, which its stresses and the bar's exact solution need."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from fem_contact.errors import ModelError
from fem_contact.fem.materials import Elastic, Rod

if TYPE_CHECKING:
    from fem_contact.record import Run

#: Materials that a run's attribute ``material`` may name.
MATERIALS: dict[str, type[Elastic] | type[Rod]] = {"Elastic": Elastic, "Rod": Rod}


def has_material(run: Run) -> bool:
    """Whether the run says what its body is made of."""
    return bool(run.attrs.get("material"))


def material_of(run: Run) -> Elastic | Rod:
    """The material that the run's attribute ``material`` names: "Rod(E=2.1e11, density=7800.0, area=3e-4)".

    The text is read as names and numbers; nothing in it is executed.

    Raises
    ------
    ModelError
        When the run names no material (set ``run.attrs["material"] = repr(material)`` on one made in
        Python), or one that cannot be read.
    """
    text = str(run.attrs.get("material", ""))
    if not text:
        raise ModelError(
            "the run does not say what its body is made of, so that it has no stresses; "
            'set run.attrs["material"] = repr(material)'
        )
    try:
        call = ast.parse(text, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError
        values = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
        return MATERIALS[call.func.id](**values)
    except (SyntaxError, ValueError, KeyError, TypeError):
        known = " or ".join(MATERIALS)
        raise ModelError(
            f"the run's material '{text:.80}' cannot be read; it must be {known}(name=number, ...)"
        ) from None
