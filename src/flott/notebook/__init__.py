"""Streams in Jupyter: a table that changes in its place while the job runs, with watermarks and rates.

    from flott.notebook import show

    show(stream)

Needs ``pip install 'flott[notebook]'``. Interrupting the cell ends the job; what was shown last stays.
"""

from __future__ import annotations

from flott.notebook.show import show

__all__ = ["show"]
