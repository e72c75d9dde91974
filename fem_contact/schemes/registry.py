"""Schemes by name. A new scheme is one file and one line here."""

from __future__ import annotations

from fem_contact.registry import Registry

SCHEMES = Registry(
    {
        "moreau-jean": ("fem_contact.schemes.theta", "MoreauJean"),
        "moreau-jean-fremond": ("fem_contact.schemes.theta", "MoreauJeanFremond"),
    }
)
