"""Studies by name. A new one is a file with a ``Study`` in it, and one line here."""

from __future__ import annotations

from fem_contact.registry import Registry

#: In the order of the papers: HAL 04230941, RR-8029, RR-8602, and what belongs to several.
STUDIES = Registry(
    {
        "block": ("fem_contact.studies.block", "STUDY"),
        "bar-moreau-jean": ("fem_contact.studies.bar_moreau_jean", "STUDY"),
        "bar-elements": ("fem_contact.studies.bar_elements", "STUDY"),
        "bar-steps": ("fem_contact.studies.bar_steps", "STUDY"),
        "bar-restitution": ("fem_contact.studies.bar_restitution", "STUDY"),
    }
)

#: Figures of the papers that are not made, and why.
LEFT_OUT = {
    "HAL 04230941 figures 1, 4 and 5": "drawings of the models and the mesh",
    "RR-8029 figures 1, 8, 10, 19, 21, 22 and 27": "drawings of the models (the study of each has its runs)",
    "RR-8029 figure 31 and section 6.5": "the circuit breaker is proprietary: its data are not published",
    "RR-8029 section 6.4.2": "in space; the clearance is computed in the plane",
}
