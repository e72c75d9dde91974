"""Studies by name. A new one is a file with a ``Study`` in it, and one line here."""

from __future__ import annotations

from fem_contact.registry import Registry

#: In the order of the papers: HAL 04230941, RR-8029, Asymptotic contact law, RR-8602.
STUDIES = Registry(
    {
        "stick": ("fem_contact.studies.stick", "STUDY"),
        "kane": ("fem_contact.studies.kane", "STUDY"),
        "block": ("fem_contact.studies.block", "STUDY"),
        "ball-orders": ("fem_contact.studies.ball_orders", "STUDY"),
        "ball-multiplier": ("fem_contact.studies.ball_multiplier", "STUDY"),
        "ball-chatter": ("fem_contact.studies.ball_chatter", "STUDY"),
        "ball-energies": ("fem_contact.studies.ball_energies", "STUDY"),
        "slider-roller": ("fem_contact.studies.slider_roller", "STUDY"),
        "rocking-block": ("fem_contact.studies.rocking_block", "STUDY"),
        "bar-trapezoidal": ("fem_contact.studies.bar_trapezoidal", "STUDY"),
        "bar-moreau-jean": ("fem_contact.studies.bar_moreau_jean", "STUDY"),
        "bar-elements": ("fem_contact.studies.bar_elements", "STUDY"),
        "bar-steps": ("fem_contact.studies.bar_steps", "STUDY"),
        "bar-restitution": ("fem_contact.studies.bar_restitution", "STUDY"),
        "bar-combined": ("fem_contact.studies.bar_combined", "STUDY"),
        "bar-damping": ("fem_contact.studies.bar_damping", "STUDY"),
        "ring-pendulum": ("fem_contact.studies.ring_pendulum", "STUDY"),
        "crank-motion": ("fem_contact.studies.crank_motion", "STUDY"),
        "crank-corners": ("fem_contact.studies.crank_corners", "STUDY"),
        "crank-portrait": ("fem_contact.studies.crank_portrait", "STUDY"),
        "crank-velocity": ("fem_contact.studies.crank_velocity", "STUDY"),
        "crank-table": ("fem_contact.studies.crank_table", "STUDY"),
        "crank-clearance": ("fem_contact.studies.crank_clearance", "STUDY"),
        "tangential-sets": ("fem_contact.studies.tangential_sets", "STUDY"),
        "balances": ("fem_contact.studies.balances", "STUDY"),
    }
)

#: Figures of the papers that are not made, and why.
LEFT_OUT = {
    "HAL 04230941 figures 1, 4 and 5": "drawings of the models and the mesh",
    "RR-8029 figures 1, 8, 10, 19, 21, 22 and 27": "drawings of the models (the study of each has its runs)",
    "RR-8029 figure 31 and section 6.5": "the circuit breaker is proprietary: its data are not published",
    "RR-8029 section 6.4.2": "in space; the clearance is computed in the plane",
}
