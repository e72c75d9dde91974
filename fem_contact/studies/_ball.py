"""What the studies of the bouncing ball share (RR-8029 sections 4.2 and 4.5)."""

from __future__ import annotations

from typing import Any

from fem_contact.studies._rigid import EXPLICIT
from fem_contact.studies.base import RunSpec, settings

#: Schemes of RR-8029 figure 2, and the combined one, with their settings beside dt and t_end.
SCHEMES: dict[str, dict[str, Any]] = {
    "schatzman-paoli": {},
    "moreau-jean": {"theta": 0.5, "activation": EXPLICIT},
    "direct-projected": {"theta": 0.5, "activation": EXPLICIT},
    "combined-projected": {"theta": 0.5},
}

#: The step of RR-8029 figures 4 to 7 (s).
H = 5e-2


def spec(case: str, scheme: str, h: float, t_end: float = 5.0, **more: Any) -> RunSpec:
    """A run of the ball or the oscillator with a scheme."""
    return RunSpec(case, (settings(scheme, h, t_end, **{**SCHEMES[scheme], **more}),))
