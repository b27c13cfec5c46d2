"""The web server of the lab, for this machine alone: the files of the page and one scenario."""

from __future__ import annotations

from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import urlsplit

from cellrate.lab import pages
from cellrate.lab.pages import NAME, Given

HOST = "127.0.0.1"
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; "
        "style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class LabServer(ThreadingHTTPServer):
    """Serves the lab on the loopback address.

    All files are read at the start, so that no request can reach another file.
    """

    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, given: Given | None, port: int = 0) -> None:
        """Binds to the port; 0 chooses a free port.

        Raises:
            BadInput: The page has not been built.
            OSError: The port is taken.
        """
        self.served = {f"/{name}": (kind, pages.read(name)) for name, kind in pages.TYPES.items()}
        self.served["/"] = self.served["/index.html"]
        if given is not None:
            self.served[f"/{NAME}"] = ("application/json", given.json().encode())
        self.is_given = given is not None
        super().__init__((HOST, port), _Handler)

    @property
    def address(self) -> str:
        """Address of the page."""
        return f"http://{HOST}:{self.server_port}/{'?given' if self.is_given else ''}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """Allowed values of the header Host; other values could come from DNS rebinding."""
        return (f"{HOST}:{self.server_port}", f"localhost:{self.server_port}")


class _Handler(BaseHTTPRequestHandler):
    server: LabServer
    server_version = "cellrate"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout: ClassVar[float] = 30
    """Seconds after which a silent connection ends."""

    def do_GET(self) -> None:
        """Answers with a file."""
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        """Answers with the headers of a file."""
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        if self.headers.get("Host") not in self.server.hosts:
            return self._refuse(HTTPStatus.MISDIRECTED_REQUEST)
        try:
            path = urlsplit(self.path).path
        except ValueError:
            return self._refuse(HTTPStatus.BAD_REQUEST)
        if path not in self.server.served:
            self._head(HTTPStatus.NOT_FOUND, "text/plain; charset=utf-8", 0)
            return None
        kind, content = self.server.served[path]
        self._head(HTTPStatus.OK, kind, len(content))
        if with_body:
            self.wfile.write(content)
        return None

    def _refuse(self, status: HTTPStatus) -> None:
        self.close_connection = True
        self._head(status, "text/plain; charset=utf-8", 0)

    def _head(self, status: HTTPStatus, kind: str, length: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        for name, value in HEADERS.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name of the base
        """Writes no log of requests."""

    def handle(self) -> None:
        """Serves a connection; a broken connection is no error."""
        try:
            super().handle()
        except (ConnectionError, TimeoutError):
            self.close_connection = True
