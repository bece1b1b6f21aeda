"""Three sizes of each photo: pages load what they show, the original is fetched by those who ask for it."""

from __future__ import annotations

import io
import re
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest
import sqlalchemy as sa
from PIL import Image, ImageCms
from tests.web.crowd import Crowd
from tests.web.serving import photo
from tests.web.stories import PHOTO, put_up

from entrenous.web.rules.refusals import NotFound
from entrenous.web.service import media
from entrenous.web.service.media import check_upload, read_file
from entrenous.web.service.uploads import photos, sizing
from entrenous.web.service.uploads.photos import MOST_BYTES, SCREEN, THUMBNAIL
from entrenous.web.service.worker import Worker
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database

SETTINGS = Settings()
MOST_PER_PAGE = 400_000


@cache
def large_photo() -> bytes:
    """Twelve megapixels with as much in them as a photo of a camera has: between three and four megabytes."""
    tones = [Image.effect_noise((1000, 750), spread).resize((4000, 3000)) for spread in (50, 40, 30)]
    grain = Image.effect_noise((4000, 3000), 14)
    image = Image.blend(Image.merge("RGB", tones), Image.merge("RGB", [grain] * 3), 0.35)
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=85)
    return buffer.getvalue()


def opened(content: bytes | None) -> Image.Image:
    assert content is not None
    return Image.open(io.BytesIO(content))


@pytest.fixture
def ann(crowd: Crowd) -> Any:
    crowd.add("ann", "bob")
    crowd.befriend(("ann", "bob"))
    return crowd.clients["ann"]


def put(client: Any, content: bytes, title: str = "Large", **data: str) -> str:
    files = {"file": ("p.jpg", content, "image/jpeg")}
    answer = client.post("/items", data={"title": title, "do": "draft", **data}, files=files)
    assert answer.status_code == 200, answer.text
    return str(answer.url.path)


# --- what is made -------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_photo_is_kept_in_three_sizes() -> None:
    upload = check_upload(large_photo(), "p.jpg", SETTINGS)
    assert 3_000_000 < len(upload.content) < 5_000_000
    assert upload.screen is not None
    assert opened(upload.content).size == (4000, 3000) == upload.measures["original"]
    assert opened(upload.screen.content).size == (SCREEN, 1200) == upload.measures["screen"]
    assert opened(upload.thumbnail).size == upload.measures["thumbnail"]
    assert max(upload.measures["thumbnail"]) <= THUMBNAIL
    assert len(upload.screen.content) <= MOST_BYTES["screen"]
    assert len(upload.thumbnail or b"") <= MOST_BYTES["thumbnail"]


@pytest.mark.parametrize("size", [(1, 1), (1, 3000), (3000, 1), (200, 100), (1600, 1600), (1601, 7)])
def test_sizes_of_unusual_shapes(size: tuple[int, int]) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", size, "red").save(buffer, "PNG")
    upload = check_upload(buffer.getvalue(), "p.png", SETTINGS)
    assert upload.screen is not None
    assert upload.measures["original"] == size
    for most, made in ((SCREEN, upload.screen.content), (THUMBNAIL, upload.thumbnail)):
        small = opened(made)
        assert max(small.size) == min(most, max(size))
        assert small.getpixel((0, 0))[0] > 240  # type: ignore[index]


def test_what_one_sees_through_stays_so_on_the_screen() -> None:
    buffer = io.BytesIO()
    Image.new("RGBA", (2000, 900), (255, 0, 0, 0)).save(buffer, "PNG")
    upload = check_upload(buffer.getvalue(), "a.png", SETTINGS)
    assert upload.screen is not None
    shown = opened(upload.screen.content)
    assert (shown.format, shown.mode, upload.screen.media_type) == ("WEBP", "RGBA", "image/webp")
    assert shown.getpixel((5, 5))[3] == 0  # type: ignore[index]


def test_every_size_holds_pixels_alone() -> None:
    entry = Image.Exif()
    entry[0x010E] = "planted"
    buffer = io.BytesIO()
    Image.linear_gradient("L").resize((2000, 1000)).convert("RGB").save(
        buffer, "JPEG", exif=entry, comment=b"planted", icc_profile=wide_gamut()
    )
    upload = check_upload(buffer.getvalue(), "p.jpg", SETTINGS)
    for content, _ in upload.sizes().values():
        assert b"planted" not in content
        assert not {"exif", "icc_profile", "comment", "xmp"} & set(opened(content).info)


# --- colours ------------------------------------------------------------------------------------------------


def wide_gamut() -> bytes:
    """A profile like Display P3: the primaries of P3 around the white of sRGB, with the curve of sRGB."""
    import struct

    def number(value: float) -> bytes:
        return struct.pack(">i", round(value * 65536))

    columns = {"rXYZ": (0.51512, 0.2412, -0.00105), "gXYZ": (0.29198, 0.69225, 0.04189)}
    columns |= {"bXYZ": (0.1571, 0.06657, 0.78407), "wtpt": (0.96420, 1.0, 0.82491)}
    parts = {name: b"XYZ \0\0\0\0" + b"".join(map(number, xyz)) for name, xyz in columns.items()}
    curve = b"para\0\0\0\0\0\x03\0\0" + b"".join(
        map(number, (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045))
    )
    parts |= dict.fromkeys(("rTRC", "gTRC", "bTRC"), curve)
    parts["desc"] = b"desc\0\0\0\0\0\0\0\x05Wide\0" + bytes(80)
    parts["cprt"] = b"text\0\0\0\0none\0\0\0\0"
    table, body = struct.pack(">I", len(parts)), b""
    start = 128 + 4 + 12 * len(parts)
    for name, content in parts.items():
        content += bytes(-len(content) % 4)
        table += name.encode() + struct.pack(">II", start + len(body), len(content))
        body += content
    head = bytearray(128)
    head[8:12], head[12:24], head[36:40] = b"\x02\x40\0\0", b"mntrRGB XYZ ", b"acsp"
    head[68:80] = number(0.9642) + number(1.0) + number(0.82491)
    head[0:4] = struct.pack(">I", start + len(body))
    return bytes(head) + table + body


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_a_photo_of_a_wide_gamut_looks_as_it_did(form: str) -> None:
    """Its numbers change, so that they mean in sRGB what they meant in its own profile."""
    meant = (200, 100, 60)  # by the profile; inside of sRGB, so nothing is cut off
    buffer = io.BytesIO()
    Image.new("RGB", (64, 64), meant).save(buffer, form, icc_profile=wide_gamut(), quality=100)
    upload = check_upload(buffer.getvalue(), "p", SETTINGS)
    wanted = ImageCms.profileToProfile(
        Image.new("RGB", (1, 1), meant),
        ImageCms.ImageCmsProfile(io.BytesIO(wide_gamut())),
        ImageCms.createProfile("sRGB"),
    )
    assert wanted is not None
    expected = wanted.getpixel((0, 0))
    assert max(abs(a - b) for a, b in zip(meant, expected, strict=True)) > 8, "the test would notice"  # type: ignore[arg-type]
    for content, _ in upload.sizes().values():
        shown = opened(content).convert("RGB").getpixel((30, 30))
        assert max(abs(a - b) for a, b in zip(shown, expected, strict=True)) <= 3  # type: ignore[arg-type]


@pytest.mark.parametrize("profile", [b"nonsense", wide_gamut()[:200], wide_gamut().replace(b"RGB ", b"CMYK")])
def test_a_profile_that_cannot_be_read_changes_nothing(profile: bytes) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (64, 64), (200, 100, 60)).save(buffer, "PNG", icc_profile=profile)
    upload = check_upload(buffer.getvalue(), "p", SETTINGS)
    assert opened(upload.content).getpixel((3, 3)) == (200, 100, 60)


def test_see_through_photos_keep_that_when_their_colours_are_converted() -> None:
    buffer = io.BytesIO()
    Image.new("RGBA", (40, 40), (200, 100, 60, 77)).save(buffer, "PNG", icc_profile=wide_gamut())
    shown = opened(check_upload(buffer.getvalue(), "p", SETTINGS).content).getpixel((3, 3))
    assert shown[3] == 77  # type: ignore[index]
    assert shown[:3] != (200, 100, 60)  # type: ignore[index]


# --- what pages load ----------------------------------------------------------------------------------------


class Loads(HTMLParser):
    """What a browser fetches for a page: everything but links, each srcset with its largest candidate."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.paths: dict[str, None] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "img":
            several = [part.split() for part in (given.get("srcset") or "").split(",") if part]
            largest = max(several, key=lambda one: int(one[1][:-1]))[0] if several else given["src"]
            self.paths[str(largest)] = None
        elif tag in ("script", "link"):
            self.paths[str(given.get("src") or given.get("href"))] = None


def transferred(client: Any, path: str) -> int:
    page = client.get(path)
    assert page.status_code == 200
    return len(page.content) + sum(len(client.get(load).content) for load in Loads(page.text).paths)


@pytest.mark.long
def test_pages_with_a_large_photo_stay_small(ann: Any, crowd: Crowd) -> None:
    """Fault 8: every view of a page with a photo of 12 megapixels transferred the original, 3.75 MB."""
    item = put(ann, large_photo(), do="ask", friend=str(crowd.ids["bob"]))
    crowd.clients["bob"].post(f"{item}/tag", data={"answer": "accept"})
    for path in ("/", item, f"{item}/view", "/of-me"):
        assert transferred(ann, path) <= MOST_PER_PAGE, path
    for who in ("ann", "bob"):
        crowd.answer(who, item.split("/")[2], {"friends": 5, "friends-of-friends": 5, "public": 5})
    for who in ("ann", "bob"):
        crowd.clients[who].post(f"{item}/do/agree")
    for path in ("/gallery", item):
        assert transferred(crowd.stranger, path) <= MOST_PER_PAGE, path
        assert "/file" not in [load.rsplit("/", 1)[1] for load in Loads(crowd.stranger.get(path).text).paths]
    assert len(ann.get(f"{item}/file").content) > 3_000_000


@pytest.mark.long
def test_a_full_gallery_of_large_photos_stays_small(
    ann: Any, crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = check_upload(large_photo(), "p.jpg", SETTINGS)
    monkeypatch.setattr(media, "check_upload", lambda *_given, **_named: upload)
    for number in range(24):
        item = put(ann, b"the large photo", f"Photo {number}", do="ask")
        crowd.answer("ann", item.split("/")[2], {"friends": 5, "friends-of-friends": 5, "public": 5})
    assert crowd.stranger.get("/gallery").text.count("<img") == 24
    assert transferred(crowd.stranger, "/gallery") <= MOST_PER_PAGE


@pytest.mark.long
def test_a_second_view_transfers_no_file_again(ann: Any) -> None:
    """Fault 8: photos came again on every reload, and /static was never kept."""
    item = put(ann, large_photo())
    for path in ("/", item):
        loads = Loads(ann.get(path).text).paths
        assert loads
        for load in loads:
            first = ann.get(load)
            caching = first.headers["cache-control"]
            if load.startswith("/static/"):
                assert caching == "public, max-age=31536000, immutable"
                continue
            again = ann.get(load, headers={"if-none-match": first.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")


def test_a_page_keeps_the_place_of_a_photo_free(ann: Any) -> None:
    path = put(ann, photo(size=(1200, 1600)))
    tag = re.search(r"<img class=\"shown measured\"[^>]*>", ann.get(path).text)
    assert tag is not None
    assert 'width="336" height="448"' in tag[0]
    assert f'srcset="{path}/thumbnail 360w, {path}/screen 1200w"' in tag[0]
    assert 'sizes="(max-width: 336px) 100vw, 336px"' in tag[0]
    assert f'href="{path}/file?as=download">Download original' in ann.get(path).text
    assert ann.get(f"{path}/file?as=download").headers["content-disposition"].startswith("attachment")
    assert ann.get(f"{path}/file").headers["content-disposition"].startswith("inline")


def test_programs_get_each_size_and_how_large_it_is(ann: Any, crowd: Crowd) -> None:
    item, token = put(ann, photo(size=(2000, 1000))).split("/")[2], crowd.token("ann")
    sizes = crowd.stranger.get(f"/v1/items/{item}", headers=token).json()["sizes"]
    assert sizes == {"original": [2000, 1000], "screen": [1600, 800], "thumbnail": [480, 240]}
    for variant, (width, height) in sizes.items():
        answer = crowd.stranger.get(f"/v1/items/{item}/file?variant={variant}", headers=token)
        assert opened(answer.content).size == (width, height)
        assert answer.headers["content-disposition"].startswith("attachment")


@pytest.mark.long
def test_a_proposed_photo_has_its_sizes_too(ann: Any, crowd: Crowd) -> None:
    item = crowd.share("ann", "bob")
    files = {"file": ("p.jpg", large_photo(), "image/jpeg")}
    assert ann.post(f"/items/{item}/change", data={"title": "A day out"}, files=files).status_code == 200
    page = ann.get(f"/items/{item}/change").text
    assert f'src="/items/{item}/change/screen" width="320" height="240"' in page
    assert transferred(ann, f"/items/{item}/change") <= 2 * MOST_BYTES["screen"] + 100_000
    assert opened(ann.get(f"/items/{item}/change/screen").content).size == (1600, 1200)
    assert opened(crowd.clients["bob"].get(f"/items/{item}/change/file").content).size == (4000, 3000)
    assert crowd.stranger.get(f"/items/{item}/change/screen", follow_redirects=False).status_code == 303
    crowd.add("eve")
    for client in (crowd.clients["eve"],):
        assert client.get(f"/items/{item}/change/screen").status_code == 404
    change = re.search(
        r'name="change" value="([^"]+)"', crowd.clients["bob"].get(f"/items/{item}/change").text
    )
    assert change is not None
    crowd.clients["bob"].post(f"/items/{item}/change/answer", data={"change": change[1], "answer": "accept"})
    assert opened(ann.get(f"/items/{item}/screen").content).size == (1600, 1200)


# --- photos of an earlier version ---------------------------------------------------------------------------


def as_before(database: Database) -> None:
    """Make of all files what an earlier version kept: no size for the screen, and no measures."""
    with database.writing() as session:
        session.execute(sa.text("DELETE FROM contents WHERE variant IN ('screen', 'new-screen')"))
        session.execute(sa.text("UPDATE contents SET cleaned = 0, width = NULL, height = NULL"))


def variants(database: Database) -> dict[str, tuple[int | None, int | None]]:
    with database.engine.connect() as connection:
        rows = connection.execute(sa.text("SELECT variant, width, height FROM contents"))
        return {row.variant: (row.width, row.height) for row in rows}


def test_the_worker_makes_the_sizes_that_an_earlier_version_did_not(ann: Any, crowd: Crowd) -> None:
    path = put(ann, photo(size=(2000, 1500)))
    original = ann.get(f"{path}/file")
    as_before(crowd.database)
    shown = ann.get(f"{path}/screen")
    assert shown.content == original.content, "until then the photo itself is shown"
    assert 'class="shown"' in ann.get(path).text
    worker = Worker(crowd.database)
    worker.run_once()
    assert variants(crowd.database) == {
        "original": (2000, 1500),
        "screen": (1600, 1200),
        "thumbnail": (480, 360),
    }
    assert opened(ann.get(f"{path}/screen").content).size == (1600, 1200)
    assert ann.get(f"{path}/screen", headers={"if-none-match": shown.headers["etag"]}).status_code == 200
    again = ann.get(f"{path}/file")
    assert (again.content, again.headers["etag"]) == (original.content, original.headers["etag"])
    assert sizing.make_missing(crowd.database) == 0


def test_what_cannot_be_measured_is_tried_once(database: Database) -> None:
    from tests.web.conftest import register

    (person,) = register(database, "ann")
    item = put_up(database, [person])
    as_before(database)
    assert sizing.make_missing(database) == 1
    assert sizing.make_missing(database) == 0
    with database.reading() as session:
        assert read_file(session, person, item, "screen").content == PHOTO.content


def test_a_file_that_was_replaced_meanwhile_gets_no_sizes_of_the_old_one(
    ann: Any, crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(ann, photo(size=(2000, 1500)))
    as_before(crowd.database)
    clean = photos.clean_photo

    def slow(*given: Any) -> Any:
        with crowd.database.writing() as session:
            session.execute(sa.text("UPDATE contents SET tag = 'another', cleaned = 1"))
        return clean(*given)

    monkeypatch.setattr(sizing, "clean_photo", slow)
    sizing.make_missing(crowd.database)
    assert "screen" not in variants(crowd.database)
    assert ann.get(path).status_code == 200


def test_other_names_of_sizes_are_not_there(database: Database) -> None:
    from tests.web.conftest import register

    (person,) = register(database, "ann")
    item = put_up(database, [person])
    with database.reading() as session:
        for variant in ("new", "new-screen", "large", ""):
            with pytest.raises(NotFound):
                read_file(session, person, item, variant)
