"""Rigid examples of the papers: one file each, one line of ``MODELS`` each.

A model is a frozen dataclass of physical parameters, the keys of a case file's [model] table, with a method
``system()`` that makes a :class:`~fem_contact.systems.lagrangian.LagrangianSystem` of them.
"""

from __future__ import annotations

from fem_contact.registry import Registry

#: Kind of model -> where it is. A new model is one file and one line here.
MODELS = Registry(
    {
        "bouncing-ball": ("fem_contact.systems.rigid.bouncing_ball", "BouncingBall"),
        "linear-oscillator": ("fem_contact.systems.rigid.linear_oscillator", "LinearOscillator"),
        "rocking-block": ("fem_contact.systems.rigid.rocking_block", "RockingBlock"),
        "slider-roller": ("fem_contact.systems.rigid.slider_roller", "SliderRoller"),
        "impacting-stick": ("fem_contact.systems.rigid.impacting_stick", "ImpactingStick"),
        "kane-pendulum": ("fem_contact.systems.rigid.kane_pendulum", "KanePendulum"),
        "painleve-rod": ("fem_contact.systems.rigid.painleve_rod", "PainleveRod"),
        "ring-pendulum": ("fem_contact.systems.rigid.ring_pendulum", "RingPendulum"),
        "slanted-punch": ("fem_contact.systems.rigid.slanted_punch", "SlantedPunch"),
        "slider-crank": ("fem_contact.systems.rigid.slider_crank", "SliderCrank"),
        "slider-crank-clearance": (
            "fem_contact.systems.rigid.slider_crank_clearance",
            "SliderCrankClearance",
        ),
    }
)
