"""A service that really listens on a port of this machine, and people with a browser in their hands."""

from __future__ import annotations

import io
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import uvicorn
from PIL import Image, ImageDraw
from starlette.types import ASGIApp

from entrenous.web.app import create_app
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

PASSWORD = "a sentence to remember"
CHROMIUM = "/usr/bin/chromium"


@contextmanager
def served(settings: Settings, *, host: str = "127.0.0.1", **options: Any) -> Iterator[Settings]:
    """Run the service in a thread, on a port that is free, and yield its settings with the address."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        address = f"http://{host}:{listening.getsockname()[1]}"
        settings = replace(settings, address=address)
        database = Database(settings, **options)
        with answering(create_app(settings, database=database), listening):
            yield settings


@contextmanager
def answering(app: ASGIApp, listening: socket.socket) -> Iterator[None]:
    """Let an application answer at a socket, in a thread."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the service did not start"
        thread.join(0.02)
    yield
    server.should_exit = True
    thread.join(300)
    assert not thread.is_alive(), "the service did not stop"


def photo(label: str = "photo", *, size: tuple[int, int] = (640, 420)) -> bytes:
    """A picture of four people on a hill, more or less."""
    image = Image.new("RGB", size, "#9cc4e4")
    draw = ImageDraw.Draw(image)
    width, height = size
    draw.ellipse([-width // 4, height // 2, width * 5 // 4, height * 2], fill="#7fa650")
    for place, colour in enumerate(("#b3423a", "#e0b13c", "#3c5a86", "#6d4a7c")):
        x = width * (2 * place + 2) // 10
        draw.ellipse([x - 24, height // 3 - 24, x + 24, height // 3 + 24], fill="#e9c7a4")
        draw.rounded_rectangle([x - 30, height // 3 + 28, x + 30, height * 2 // 3 + 20], 18, fill=colour)
    draw.text((12, height - 22), label, fill="#22262b")
    stored = io.BytesIO()
    image.save(stored, "JPEG")
    return stored.getvalue()


@dataclass
class Hands:
    """Somebody at a browser who uses the mouse, or nothing but the keyboard."""

    page: Page
    address: str
    keyboard: bool = False

    def go(self, path: str) -> None:
        """Type an address."""
        answer = self.page.goto(self.address + path)
        assert answer is not None
        assert answer.status < 400, path

    def press(self, name: str, *, role: str = "button", within: str | None = None) -> None:
        """Use a button or a link, and wait for the page it leads to."""
        target = self._find(role, name, within)
        if self.keyboard:
            self._reach(target)
        with self.page.expect_navigation():
            self._use(target, "Enter")

    def follow(self, name: str) -> None:
        """Use a link."""
        self.press(name, role="link")

    def write(self, label: str, text: str) -> None:
        """Fill in a field."""
        field = self.page.get_by_label(re.compile(f"^{re.escape(label)}"))
        if not self.keyboard:
            field.fill(text)
            return
        self._reach(field)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text)

    def tick(self, label: str) -> None:
        """Tick a box."""
        self._use(self.page.get_by_role("checkbox", name=re.compile(f"^{re.escape(label)}")), "Space")

    def choose(self, group: str, word: str) -> None:
        """Choose one word of a scale: a click, or Tab to the group and arrows within it."""
        scale = self.page.get_by_role("group", name=re.compile(f"^{re.escape(group)}(?! of)"))
        wanted = scale.get_by_role("radio", name=word, exact=True)
        if not self.keyboard:
            wanted.check()
            return
        radios = scale.get_by_role("radio")
        words = [label.strip() for label in scale.locator("label").all_inner_texts()]
        self._reach(radios)
        for _ in words:
            if wanted.is_checked():
                return
            self.page.keyboard.press("ArrowRight")
        if not wanted.is_checked():
            self.page.keyboard.press("Space")
        assert wanted.is_checked(), f"{word} cannot be reached with arrows among {words}"

    def attach(self, label: str, name: str, content: bytes) -> None:
        """Choose a file."""
        field = self.page.get_by_label(re.compile(f"^{re.escape(label)}"))
        with self.page.expect_file_chooser() as chooser:
            self._use(field, "Enter")
        chooser.value.set_files({"name": name, "mimeType": "image/jpeg", "buffer": content})

    def reads(self, text: str) -> None:
        """Check that the page says something."""
        assert text in self.page.locator("main").inner_text(), (
            f"{text!r} is not in: {self.page.locator('main').inner_text()}"
        )

    def _find(self, role: str, name: str, within: str | None) -> Locator:
        place = self.page.locator("li, form, section").filter(has_text=within).last if within else self.page
        return place.get_by_role(role, name=re.compile(f"^{re.escape(name)}")).first  # type: ignore[arg-type]

    def _use(self, target: Locator, key: str) -> None:
        if not self.keyboard:
            target.click()
            return
        self._reach(target)
        self.page.keyboard.press(key)

    def _reach(self, target: Locator) -> None:
        """Press Tab until the target, or one of several, has the focus."""
        target.first.wait_for(state="visible")
        for _ in range(150):
            if target.evaluate_all("found => found.includes(document.activeElement)"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError("cannot be reached with the Tab key")


def hands(
    browser: Browser, address: str, *, keyboard: bool = False, scripts: bool = True, **context: Any
) -> Hands:
    """Give somebody a browser of their own."""
    page = browser.new_context(java_script_enabled=scripts, **context).new_page()
    page.set_default_timeout(300_000)
    return Hands(page, address, keyboard)
