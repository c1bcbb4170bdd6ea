"""A headless Firefox, driven by WebDriver BiDi (a W3C draft) over a WebSocket (RFC 6455), with no way to a network."""

import base64
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time

from browser import Browser

PROGRAMS = ("firefox-esr", "firefox")
KEYS = {"Tab": "\ue004", "ArrowRight": "\ue014"}  # WebDriver, 17.4.2
PREFERENCES = {
    "network.proxy.type": 1, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": 9,  # where nothing listens
    "browser.download.folderList": 2, "browser.download.always_ask_before_handling_new_types": False,
    "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.enabled": False, "remote.active-protocols": 1,
}


def plain(value: dict) -> object:
    """A value as BiDi serialises it, of the kinds that JSON has."""
    kind, held = value["type"], value.get("value")
    if kind == "array":
        return [plain(item) for item in held]
    if kind == "object":
        return {name: plain(item) for name, item in held}
    return held if kind in ("string", "number", "boolean") else None


class Firefox(Browser):
    def __init__(self) -> None:
        super().__init__()
        self.socket: socket.socket | None = None
        program = next(filter(None, map(shutil.which, PROGRAMS)))
        profile = self.folder / "profile"
        profile.mkdir()
        preferences = PREFERENCES | {"browser.download.dir": str(self.folder)}
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()]
        (profile / "user.js").write_text("".join(lines))
        self.process = subprocess.Popen(
            [program, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0", "about:blank"],
            env=os.environ | {"HOME": str(self.folder)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.connect(profile / "WebDriverBiDiServer.json")
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["network.beforeRequestSent", "log.entryAdded", "browsingContext.downloadEnd"])
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def connect(self, server: pathlib.Path) -> None:
        end = time.monotonic() + 120
        while not server.exists() or not server.read_text():
            if time.monotonic() > end:
                raise TimeoutError("Firefox did not start")
            time.sleep(0.1)
        port = json.loads(server.read_text())["ws_port"]
        self.socket = socket.create_connection(("127.0.0.1", port))
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /session HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.stream = self.socket.makefile("rb")
        while self.stream.readline() not in (b"\r\n", b""):
            pass

    def send(self, text: bytes) -> None:
        size = len(text)
        length = bytes([0x80 | size]) if size < 126 else b"\xfe" + size.to_bytes(2) if size < 65536 else b"\xff" + size.to_bytes(8)
        mask = os.urandom(4) * (size // 4 + 1)
        self.socket.sendall(b"\x81" + length + mask[:4] + bytes(a ^ b for a, b in zip(text, mask)))

    def receive(self) -> dict:
        text, last = b"", False
        while not last:
            head = self.stream.read(2)
            if len(head) < 2:
                raise RuntimeError("the browser has ended")
            last, size = head[0] >= 0x80, head[1]
            if size >= 126:
                size = int.from_bytes(self.stream.read(2 if size == 126 else 8))
            text += self.stream.read(size)
        message = json.loads(text)
        self.note(message.get("method"), message.get("params", {}))
        return message

    def call(self, method: str, **parameters: object) -> dict:
        self.next += 1
        self.send(json.dumps({"id": self.next, "method": method, "params": parameters}).encode())
        while True:
            message = self.receive()
            if message.get("id") == self.next:
                if message["type"] == "error":
                    raise RuntimeError(f"{method}: {message['message']}")
                return message["result"]

    def note(self, method: str | None, event: dict) -> None:
        if method == "network.beforeRequestSent":
            self.requests.append(event["request"]["url"])
        elif method == "log.entryAdded" and event["level"] in ("error", "warn"):
            self.errors.append(event["text"])
        elif method == "browsingContext.downloadEnd" and event["status"] == "complete":
            self.saved.add(pathlib.Path(event["filepath"]).name)

    def close(self) -> None:
        self.call("browser.close")  # the process that was started is not its only one
        super().close()

    def value_of(self, expression: str) -> dict:
        answer = self.call("script.evaluate", expression=expression, target={"context": self.context}, awaitPromise=True,
                           userActivation=True)
        if answer["type"] == "exception":
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"]

    def evaluate(self, expression: str) -> object:
        return plain(self.value_of(expression))

    def navigate(self, address: str) -> None:
        self.call("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def choose(self, selector: str, paths: list[str]) -> None:
        element = self.value_of(f"document.querySelector({json.dumps(selector)})")
        self.call("input.setFiles", context=self.context, element={"sharedId": element["sharedId"]}, files=paths)

    def key(self, key: str, _code: int = 0) -> None:
        actions = [{"type": kind, "value": KEYS[key]} for kind in ("keyDown", "keyUp")]
        self.call("input.performActions", context=self.context, actions=[{"type": "key", "id": "keys", "actions": actions}])

    def size(self, width: int, height: int, _dark: bool = False) -> None:
        self.call("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height})

    def screenshot(self, path: str) -> None:
        shot = self.call("browsingContext.captureScreenshot", context=self.context, origin="document")
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))
