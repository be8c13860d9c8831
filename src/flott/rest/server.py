"""The HTTP server in a job's driver."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections import Counter
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from flott.common.options import RestOptions
from flott.errors import ConfigurationError
from flott.rest.http import Answer, RefusedError, Request
from flott.rest.openapi import document
from flott.rest.routes import find_route
from flott.rest.security import check_entitled, check_origin
from flott.web.assets import CONTENT_SECURITY_POLICY, find

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flott.rest.jobs import Jobs
    from flott.rest.settings import RestSettings

log = logging.getLogger("flott.rest")

MOST_CONNECTIONS = 64
LONGEST_BODY = 64 * 1024
PATIENCE = 30.0
"""Seconds that a connection may be silent."""
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
}


def answer(method: str, target: str, headers: Mapping[str, str], body: bytes, jobs: Jobs) -> Answer:
    """Answer one request; what can't be done is refused with a reason."""
    check_origin(headers, jobs.settings)
    parts = urlsplit(target)
    if method == "GET":
        if parts.path == "/openapi.json":
            return Answer(document())
        page = find(parts.path)
        if page is not None:
            return Answer(page.data, content_type=page.content_type)
    route, names = find_route(method, parts.path)
    if not route.public:
        check_entitled(headers, jobs.access)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    result = route.handle(Request(jobs, names, query, parsed(body)))
    return result if isinstance(result, Answer) else Answer(result, route.status)


def parsed(body: bytes) -> dict[str, Any]:
    """Return the body of a request: a JSON object, or nothing."""
    if not body.strip():
        return {}
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        message = f"the body is no JSON: {error}"
        raise RefusedError(HTTPStatus.BAD_REQUEST, message) from error
    if not isinstance(value, dict):
        raise RefusedError(HTTPStatus.BAD_REQUEST, "the body is no JSON object: send {} or leave it out")
    return value


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    protocol_version = "HTTP/1.1"
    server_version = "flott"
    sys_version = ""
    timeout = PATIENCE
    server: Listener

    def handle_any(self) -> None:
        """Answer a request of any method."""
        try:
            found = answer(self.command, self.path, self._plain_headers(), self._body(), self.server.jobs)
        except RefusedError as refusal:
            found = Answer({"errors": [str(refusal)]}, refusal.status)
        except Exception as error:
            log.exception("%s %s failed", self.command, self.path)
            found = Answer({"errors": [f"{type(error).__name__}: {error}"]}, HTTPStatus.INTERNAL_SERVER_ERROR)
        self._send(found)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_OPTIONS = handle_any  # noqa: N815 - the library's names

    def _plain_headers(self) -> dict[str, str]:
        """Return the headers by names in lower case; one that is there twice is as good as none."""
        counts = Counter(name.lower() for name in self.headers)
        return {name.lower(): value for name, value in self.headers.items() if counts[name.lower()] == 1}

    def _body(self) -> bytes:
        if "Transfer-Encoding" in self.headers:
            self.close_connection = True
            raise RefusedError(HTTPStatus.LENGTH_REQUIRED, "send the length of the body")
        text = self.headers.get("Content-Length", "0")
        if not (text.isascii() and text.isdecimal()):
            self.close_connection = True
            raise RefusedError(HTTPStatus.BAD_REQUEST, f"Content-Length is '{text}'")
        if len(text) > len(str(LONGEST_BODY)) or int(text) > LONGEST_BODY:
            self.close_connection = True
            raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a body has {LONGEST_BODY} bytes at most")
        return self.rfile.read(int(text))

    def _send(self, found: Answer) -> None:
        content = found.content
        if not isinstance(content, bytes):
            content = json.dumps(content, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace")
        self.send_response(found.status)
        self.send_header("Content-Type", found.content_type)
        self.send_header("Content-Length", str(len(content)))
        for name, value in HEADERS.items():
            self.send_header(name, value)
        if found.status is HTTPStatus.UNAUTHORIZED:
            self.send_header("WWW-Authenticate", "Bearer")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep requests out of the terminal."""
        log.debug(format, *args)


class Listener(ThreadingHTTPServer):
    """Accepts connections, each in a thread that never keeps the program alive."""

    daemon_threads = True
    # A port that another server listens on must not be taken over.
    allow_reuse_port = False
    jobs: Jobs

    def __init__(self, address: tuple[str, int], jobs: Jobs) -> None:
        self.jobs = jobs
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self._room = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__(address, Handler)

    def server_bind(self) -> None:
        """Bind without asking the name server who we are."""
        # The library's HTTPServer looks up the machine's full name here, which can take seconds.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection, unless there are too many."""
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection in its thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection broke: nothing to be done."""
        log.debug("a connection from %s ended early", client_address)


def listen(settings: RestSettings, jobs: Jobs) -> Listener:
    """Start to listen on the first port that is free."""
    address = "127.0.0.1" if settings.bind_address.lower() == "localhost" else settings.bind_address.strip("[]")
    for port in settings.ports:
        try:
            listener = Listener((address, port), jobs)
        except OSError as error:
            reason = error
        else:
            threading.Thread(target=listener.serve_forever, name="flott-rest", daemon=True).start()
            return listener
    span = f"{settings.ports[0]}" if len(settings.ports) == 1 else f"{settings.ports[0]} to {settings.ports[-1]}"
    message = (
        f"the REST server can't listen on {settings.bind_address}, port {span}: {reason}. Set {RestOptions.PORT.key} "
        f"to another port, or to 0 for any that is free"
    )
    raise ConfigurationError(message)
