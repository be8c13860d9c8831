"""Rules: each makes a better plan of a plan with the same result. One rule, one file, one function of its name."""

from __future__ import annotations
