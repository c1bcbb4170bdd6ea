"""A headless Chromium, started by its driver, or Firefox: with no way to a network, and driven by WebDriver BiDi (a W3C draft)."""

import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable

import websocket  # Debian: python3-websocket

ROLES = {"button", "textbox", "combobox", "radio", "checkbox", "tab", "spinbutton", "image", "region", "progressbar", "searchbox"}
KEYS = {"Tab": "\ue004", "ArrowRight": "\ue014"}  # WebDriver, 17.4.2
EVENTS = ["network.beforeRequestSent", "log.entryAdded", "browsingContext.downloadEnd"]
CHROMIUM = {"goog:chromeOptions": {"args": [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-extensions", "--host-resolver-rules=MAP * ~NOTFOUND"]}}  # fmt: skip
FIREFOX = {
    "network.proxy.type": 1, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": 9,  # where nothing listens
    "browser.download.folderList": 2, "browser.download.always_ask_before_handling_new_types": False,
    "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.enabled": False, "remote.active-protocols": 1,
}  # fmt: skip


def plain(value: dict) -> object:
    """A value as BiDi serialises it, of the kinds that JSON has."""
    kind, held = value["type"], value.get("value")
    if kind == "array":
        return [plain(item) for item in held]
    if kind == "object":
        return {name: plain(item) for name, item in held}
    return held if kind in ("string", "number", "boolean") else None


class Browser:
    """One page. `requests` are the addresses that it and its workers asked for, `errors` what they logged."""

    def __init__(self, name: str) -> None:
        self.is_chromium = name == "chromium"
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.saved: set[str] = set()
        self.next = 0
        port = self.start_chromium() if self.is_chromium else self.start_firefox()
        self.socket = websocket.create_connection(f"ws://127.0.0.1:{port}/session", suppress_origin=True, timeout=600)
        options = CHROMIUM if self.is_chromium else {}
        self.call("session.new", capabilities={"alwaysMatch": options})
        self.call("session.subscribe", events=EVENTS)
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]
        if self.is_chromium:
            self.call("browser.setDownloadBehavior", downloadBehavior={"type": "allowed", "destinationFolder": str(self.folder)})

    def start(self, *command: str) -> None:
        environment = os.environ | {"HOME": str(self.folder)}
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def start_chromium(self) -> int:
        self.start("chromedriver", "--port=0")
        return int(next(found[1] for line in self.process.stdout if (found := re.search(r"started successfully on port (\d+)", line))))

    def start_firefox(self) -> int:
        profile = self.folder / "profile"
        profile.mkdir()
        preferences = FIREFOX | {"browser.download.dir": str(self.folder)}
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()]
        (profile / "user.js").write_text("".join(lines))
        program = next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))))
        self.start(program, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0", "about:blank")
        server = profile / "WebDriverBiDiServer.json"
        self.until(lambda: server.exists() and server.read_text(), "Firefox has started", 120)
        return json.loads(server.read_text())["ws_port"]

    @staticmethod
    def until(holds: Callable[[], object], what: str, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                raise TimeoutError(what)
            time.sleep(0.1)

    def call(self, method: str, /, **parameters: object) -> dict:
        self.next += 1
        self.socket.send(json.dumps({"id": self.next, "method": method, "params": parameters}))
        while (message := json.loads(self.socket.recv())).get("id") != self.next:
            self.note(message.get("method"), message.get("params", {}))
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

    def of_chromium(self, method: str, **parameters: object) -> dict:
        """A call of its DevTools, for what BiDi does not have."""
        session = self.call("goog:cdp.getSession", context=self.context)["session"]
        return self.call("goog:cdp.sendCommand", method=method, params=parameters, session=session)["result"]

    def close(self) -> None:
        self.call("browser.close")  # the process that was started is not its only one
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def value_of(self, expression: str) -> dict:
        answer = self.call("script.evaluate", expression=expression, target={"context": self.context}, awaitPromise=True,
                           userActivation=True)
        if answer["type"] == "exception":
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"]

    def evaluate(self, expression: str) -> object:
        """The value, awaited if it is a promise."""
        return plain(self.value_of(expression))

    def nameless(self) -> list[str]:
        """Roles of elements without a name, as far as the browser says it."""
        nodes = self.of_chromium("Accessibility.getFullAXTree")["nodes"] if self.is_chromium else []
        return [node["role"]["value"] for node in nodes
                if not node.get("ignored") and node["role"]["value"] in ROLES and not node.get("name", {}).get("value")]  # fmt: skip

    def wait(self, expression: str) -> None:
        """Until the expression holds."""
        self.until(lambda: self.evaluate(f"Boolean({expression})"), expression)

    def go(self, address: str) -> None:
        self.call("browsingContext.navigate", context=self.context, url=address, wait="complete")
        self.wait("document.body && document.body.dataset.ready === 'yes'")

    def downloaded(self, name: str) -> bytes:
        def has_come() -> bool:
            self.evaluate("0")  # takes in what has happened
            return name in self.saved

        self.until(has_come, name)
        self.saved.remove(name)
        content = (self.folder / name).read_bytes()
        (self.folder / name).unlink()
        return content

    def choose(self, selector: str, paths: list[str]) -> None:
        element = self.value_of(f"document.querySelector({json.dumps(selector)})")
        self.call("input.setFiles", context=self.context, element={"sharedId": element["sharedId"]}, files=paths)

    def key(self, key: str) -> None:
        actions = [{"type": kind, "value": KEYS[key]} for kind in ("keyDown", "keyUp")]
        self.call("input.performActions", context=self.context, actions=[{"type": "key", "id": "keys", "actions": actions}])

    def size(self, width: int, height: int, dark: bool = False) -> None:
        self.call("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height})
        if self.is_chromium:
            scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
            self.of_chromium("Emulation.setEmulatedMedia", features=scheme)
