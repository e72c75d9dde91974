"""Solvers by name. A new solver is one file and one line here."""

from __future__ import annotations

from fem_contact.registry import Registry

SOLVERS = Registry(
    {
        "auto": ("fem_contact.solvers.auto", "Auto"),
        "nsgs": ("fem_contact.solvers.nsgs", "NSGS"),
        "semismooth": ("fem_contact.solvers.semismooth", "SemismoothNewton"),
        "interior": ("fem_contact.solvers.interior", "InteriorPoint"),
        "admm": ("fem_contact.solvers.admm", "ADMM"),
        "projection": ("fem_contact.solvers.projection", "Projection"),
        "extragradient": ("fem_contact.solvers.extragradient", "Extragradient"),
        "lcp": ("fem_contact.solvers.lcp", "LCP"),
        "pivoting": ("fem_contact.solvers.pivoting", "Pivoting"),
    }
)
