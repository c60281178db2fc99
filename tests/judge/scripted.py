"""A judge that says what it is told to: a real HTTP server on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, Any] | Callable[[dict[str, Any]], tuple[int, Any]] | None
"""Status and body (bytes go as they are), or a function of the request that returns them; None says nothing."""


class Scripted:
    """Answers the n-th request with the n-th line of the script, the last one for ever. Keeps what it was sent."""

    def __init__(self, *script: Reply) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.released = threading.Event()
        self.port = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def sent(self, number: int = 0) -> str:
        """The text of the messages of a request, joined as ``Prompt.text`` joins them."""
        return "\n\n".join(message["content"] for message in self.requests[number]["messages"])


def says(content: Any, **message: Any) -> Reply:
    """A chat completion with this content; anything but a text is written as JSON."""
    text = content if isinstance(content, str) else json.dumps(content)
    return 200, completion({"role": "assistant", "content": text, **message})


def completion(message: dict[str, Any], finish_reason: str = "stop") -> dict[str, Any]:
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    return {"id": "x", "object": "chat.completion", "created": 0, "model": "scripted", "choices": [choice]}


@contextmanager
def serving(script: Scripted) -> Iterator[Scripted]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            script.requests.append(body)
            script.headers.append({name.lower(): value for name, value in self.headers.items()})
            line = script.script[min(len(script.requests), len(script.script)) - 1]
            if line is None:
                script.released.wait(30)
                return
            status, value = line(body) if callable(line) else line
            written = value if isinstance(value, bytes) else json.dumps(value).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(written)))
                self.end_headers()
                self.wfile.write(written)
            except OSError:
                pass  # the client has gone

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    script.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield script
    finally:
        script.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
