"""How many examples the properties of this folder try, each of which is a job or two."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings

THOROUGH = 60
"""From so many examples on, a run is there to find bugs: then it may take minutes to make an example small."""


def examples(share: float = 1.0) -> settings:
    """Return settings for a property, with a share of the profile's examples."""
    count = settings.default.max_examples
    phases = tuple(Phase) if count >= THOROUGH else (Phase.explicit, Phase.reuse, Phase.generate)
    return settings(
        max_examples=max(1, round(count * share)), phases=phases, suppress_health_check=list(HealthCheck), deadline=None
    )
