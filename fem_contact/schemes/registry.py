"""Schemes by name. A new scheme is one file and one line here."""

from __future__ import annotations

from fem_contact.registry import Registry

SCHEMES = Registry(
    {
        "moreau-jean": ("fem_contact.schemes.theta", "MoreauJean"),
        "moreau-jean-fremond": ("fem_contact.schemes.theta", "MoreauJeanFremond"),
        "moreau-jean-variant": ("fem_contact.schemes.theta", "MoreauJeanVariant"),
        "newmark": ("fem_contact.schemes.newmark", "Newmark"),
        "hht": ("fem_contact.schemes.hht", "HHT"),
        "generalized-alpha": ("fem_contact.schemes.generalized_alpha", "GeneralizedAlpha"),
        "krenk-hogsberg": ("fem_contact.schemes.krenk_hogsberg", "KrenkHogsberg"),
        "contact-dynamics": ("fem_contact.schemes.contact_dynamics", "ContactDynamics"),
        "schatzman-paoli": ("fem_contact.schemes.schatzman_paoli", "SchatzmanPaoli"),
        "direct-projected": ("fem_contact.schemes.projected", "DirectProjected"),
        "combined-projected": ("fem_contact.schemes.projected", "CombinedProjected"),
        "trapezoidal-position": ("fem_contact.schemes.trapezoidal_position", "TrapezoidalPosition"),
    }
)
