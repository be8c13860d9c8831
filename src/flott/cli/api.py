"""Asks the REST server of a job, from another process."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any, NoReturn

from flott.cli.output import UNREACHABLE, fail
from flott.rest.access import page_link

PATIENCE = 30.0
"""Seconds that a driver has for an answer."""
TOKEN_VARIABLE = "FLOTT_TOKEN"  # noqa: S105 - the name of a variable


class UnreachableError(Exception):
    """The driver does not answer."""


@dataclass(frozen=True, slots=True)
class Api:
    """The REST server of a job."""

    url: str
    token_file: str | None = None
    patience: float = PATIENCE

    def get(self, path: str) -> Any:
        """Read something."""
        return self.ask("GET", path)

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Ask for something; a refusal ends the command with its reason."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        token = self._token()
        if token:
            headers["Authorization"] = f"Bearer {token}"
        # The address comes from the registry of jobs; a proxy has no place between the two.
        request = urllib.request.Request(self.url + path, data, headers, method=method)  # noqa: S310
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=self.patience) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as refusal:
            fail(f"{self.url}: {reason_of(refusal)}")
        except (OSError, ValueError, HTTPException) as error:  # also half an answer, of a driver that just ended
            message = f"the driver at {self.url} does not answer: {error}"
            raise UnreachableError(message) from error

    def page_of(self, job_id: str) -> str:
        """Return a link that opens the page of a job once."""
        return page_link(self.url, self.ask("POST", "/page/links")["code"], job_id)

    def _token(self) -> str | None:
        if self.token_file is not None and Path(self.token_file).exists():
            return Path(self.token_file).read_text(encoding="utf-8").strip()
        return os.environ.get(TOKEN_VARIABLE)


def reason_of(refusal: urllib.error.HTTPError) -> str:
    """Return why a request was refused."""
    try:
        told = json.loads(refusal.read())["errors"]
    except (OSError, ValueError, KeyError, TypeError):
        return str(refusal)
    finally:
        refusal.close()
    hint = f" (set {TOKEN_VARIABLE})" if refusal.code == 401 else ""  # noqa: PLR2004 - unauthorized
    return "; ".join(map(str, told)) + hint


def unreachable(error: UnreachableError) -> NoReturn:
    """End the command because the driver does not answer."""
    fail(str(error), UNREACHABLE)
