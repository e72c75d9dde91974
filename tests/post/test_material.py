"""The material that a run names."""

from __future__ import annotations

import pytest

from fem_contact.errors import ModelError
from fem_contact.fem.materials import Elastic, Rod
from fem_contact.post.material import has_material, material_of


@pytest.mark.parametrize(
    "material",
    [
        Elastic(5750.0, 0.358, 1.17e-3, 15.0),
        Elastic(1.0, 0.2, 3.0, assumption="plane-strain"),
        Rod(2.1e11, 7800.0, 3e-4),
    ],
)
def test_material_goes_there_and_back(block, material):
    block.attrs["material"] = repr(material)
    assert has_material(block)
    assert material_of(block) == material


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').getcwd()",
        "Elastic(E=__import__('os').getpid(), nu=0.3, density=1.0)",
        "Rubber(E=1.0)",
        "Elastic(1.0, 0.3, 1.0)",
        "Rod(7.0, E=1.0, density=1.0, area=1.0)",
        "Elastic(E=1.0)",
        "Elastic(E=",
        "3.0",
    ],
)
def test_other_texts_are_refused(block, text):
    block.attrs["material"] = text
    with pytest.raises(ModelError, match="cannot be read"):
        material_of(block)


def test_no_material(block):
    block.attrs["material"] = ""
    assert not has_material(block)
    with pytest.raises(ModelError, match="does not say what its body is made of"):
        material_of(block)
