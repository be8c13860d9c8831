"""Writes docs/reference/configuration.md from the options in the code.

Run it with `make docs-reference`; `python tools/configuration_reference.py --check` says whether the page is up to
date, which `make lint` does.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flott.common.config_types import render
from flott.common.option_effects import Accepted, Refused, Shown
from flott.common.options import OPTION_GROUPS, options_of

if TYPE_CHECKING:
    from flott.common.config_options import ConfigOption

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "configuration.md"

WORDS = {Shown: "yes", Accepted: "accepted", Refused: "refused"}

INTRODUCTION = """\
# Configuration

Written by `make docs-reference` from the options in the code; do not edit.

Settings come from the program (`Configuration`, `env.set_parallelism(…)`, …), from the command line
(`flott run -D key=value`), or from SQL (`SET 'key' = 'value'`). Those of the program win over those of the command
line. Keys that start with `spark.` go to Spark as they are.

```python
from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment

configuration = Configuration().set_string("execution.checkpointing.interval", "10 s")
env = StreamExecutionEnvironment.get_execution_environment(configuration)
print(env.get_checkpoint_config().get_checkpoint_interval())
```

```
10000
```

The column `effect` says `yes` where a test shows what the setting does, `accepted` where it may be set and changes
nothing (the log says so), and `refused` where only the default is possible. Unknown keys that begin like those below
are logged too.

Durations are written as `10 s`, `5 min`, `100 ms`; amounts of memory as `512 mb`, `2 gb`; lists as `a;b`; maps as
`a:1,b:2`.
"""


def page() -> str:
    """Return the text of the reference."""
    parts = [INTRODUCTION]
    for group in OPTION_GROUPS:
        title = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", group.__name__.removesuffix("Options")) or "General"
        parts.append(f"## {title.capitalize()}\n\n{(group.__doc__ or '').strip()}\n")
        rows = [_row(option) for option in options_of(group)]
        parts.append("\n".join(["| key | type | default | effect | |", "|---|---|---|---|---|", *rows, ""]))
    return "\n".join(parts)


def _row(option: ConfigOption[Any]) -> str:
    default = f"`{render(option.default)}`" if option.has_default_value() and option.default != "" else "none"
    description = option.description
    others = (*option.fallback_keys, *option.deprecated_keys)
    if others:
        description += f" Also read: {', '.join(f'`{key}`' for key in others)}."
    effect = option.effect
    if isinstance(effect, Accepted):
        description += f" No effect: {effect.reason}"
    if isinstance(effect, Refused):
        description += f" Can't be changed: {effect.reason}."
    cells = (f"`{option.key}`", option.value_type.name, default, WORDS[type(effect)], description)
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("\n", " ").replace("<", "&lt;")


def main(arguments: list[str]) -> int:
    """Write the page, or say whether it is up to date; return the exit code."""
    if "--check" not in arguments:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == page():
        print("configuration reference: ok")
        return 0
    print(f"{PAGE} is not what the options in the code say; run `make docs-reference`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
