"""Headless browsers with no way to a network: Chromium, driven by the DevTools protocol over pipes, and what firefox.py shares."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

ROLES = {"button", "textbox", "combobox", "radio", "checkbox", "tab", "spinbutton", "image", "region", "progressbar", "searchbox"}
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


class Browser:
    """One page. `requests` are the addresses that it and its workers asked for, `errors` what they logged."""

    process: subprocess.Popen[bytes]

    def __init__(self) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.saved: set[str] = set()
        self.next = 0

    def evaluate(self, expression: str) -> object:
        """The value, awaited if it is a promise."""
        raise NotImplementedError

    def nameless(self) -> list[str]:
        """Roles of elements without a name, as far as the browser says it."""
        return []

    def navigate(self, address: str) -> None:
        raise NotImplementedError

    def wait(self, expression: str, seconds: float = 60) -> None:
        """Until the expression holds."""
        end = time.monotonic() + seconds
        while not self.evaluate(f"Boolean({expression})"):
            if time.monotonic() > end:
                raise TimeoutError(expression)
            time.sleep(0.1)

    def go(self, address: str) -> None:
        self.navigate(address)
        self.wait("document.body && document.body.dataset.ready === 'yes'")

    def downloaded(self, name: str, seconds: float = 60) -> bytes:
        end = time.monotonic() + seconds
        while name not in self.saved:
            if time.monotonic() > end:
                raise TimeoutError(name)
            self.evaluate("0")  # takes in what has happened
            time.sleep(0.05)
        self.saved.remove(name)
        content = (self.folder / name).read_bytes()
        (self.folder / name).unlink()
        return content

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Chromium(Browser):
    def __init__(self) -> None:
        super().__init__()
        program = next(filter(None, map(shutil.which, PROGRAMS)))
        self.buffer = b""
        to_browser, self.write_to = os.pipe()
        self.read_from, from_browser = os.pipe()
        command = f'exec 3<&{to_browser} 4>&{from_browser} && exec "$@"'  # by the protocol
        self.process = subprocess.Popen(
            ["sh", "-c", command, "sh", program, *FLAGS, f"--user-data-dir={self.folder / 'profile'}", "about:blank"],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.watch(self.session)
        self.call("Page.enable")
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.folder), eventsEnabled=True,
                  session=None)

    def watch(self, session: str) -> None:
        """Its requests and errors, and those of its workers."""
        for method in ("Network.enable", "Runtime.enable", "Log.enable"):
            self.send(method, session)
        self.send("Target.setAutoAttach", session, autoAttach=True, waitForDebuggerOnStart=False, flatten=True)

    def send(self, method: str, session: str | None, **parameters: object) -> int:
        self.next += 1
        message = {"id": self.next, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_to, data):]
        return self.next

    def call(self, method: str, session: str | None = "", **parameters: object) -> dict:
        number = self.send(method, self.session if session == "" else session, **parameters)
        while True:
            message = self.receive()
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def receive(self) -> dict:
        while b"\0" not in self.buffer:
            data = os.read(self.read_from, 1 << 20)
            if not data:
                raise RuntimeError("the browser has ended")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        self.note(message.get("method"), message.get("params", {}))
        return message

    def note(self, method: str | None, event: dict) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(event["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(str(event["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and event["type"] in ("error", "warning", "assert"):
            self.errors.append(str(event["args"]))
        elif method == "Log.entryAdded" and event["entry"]["level"] == "error":
            self.errors.append(event["entry"]["text"])
        elif method == "Browser.downloadProgress" and event["state"] == "completed":
            self.saved.add(pathlib.Path(event["filePath"]).name)
        elif method == "Target.attachedToTarget":
            self.watch(event["sessionId"])

    def evaluate(self, expression: str) -> object:
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def nameless(self) -> list[str]:
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [node["role"]["value"] for node in nodes
                if not node.get("ignored") and node["role"]["value"] in ROLES and not node.get("name", {}).get("value")]

    def navigate(self, address: str) -> None:
        self.call("Page.navigate", url=address)

    def choose(self, selector: str, paths: list[str]) -> None:
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=paths)

    def key(self, key: str, code: int = 0) -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def size(self, width: int, height: int, dark: bool = False) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)

    def screenshot(self, path: str) -> None:
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))
