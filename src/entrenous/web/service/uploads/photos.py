"""Photos: decoded, and encoded again from their pixels alone, in three sizes.

Metadata (EXIF with its GPS position, XMP, comments), a second file hidden behind the first, and whatever made the
decoder stumble stay behind. The colour profile goes too, after the pixels were converted to sRGB, which browsers take
for granted.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from entrenous.web.rules.refusals import UploadRefused

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["PHOTO_TYPES", "SCREEN", "THUMBNAIL", "Picture", "clean_photo"]

PHOTO_TYPES = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}

THUMBNAIL = 480
"""The longer side of a thumbnail, in pixels."""

SCREEN = 1600
"""The longer side of what pages show."""

MOST_BYTES = {"screen": 320_000, "thumbnail": 15_000}
"""So much a page loads for one picture at most: one that needs more is encoded more coarsely, then made smaller."""

_QUALITIES = (82, 74, 66, 58, 50)
_LARGEST_PROFILE = 4 * 1024 * 1024

MOST_SCANS = 100
"""A progressive JPEG of a camera or an editor has about ten; each one costs a walk over the whole photo."""

_SCAN = b"\xff\xda"


_SHOWS = [0] + [255] * 255
"""What becomes of each opacity in a mask: all but none is taken as it is."""


@dataclass(frozen=True)
class Picture:
    """One size of a photo."""

    content: bytes
    media_type: str
    width: int
    height: int


def clean_photo(content: bytes, form: str, most_pixels: int) -> dict[str, Picture]:
    """Return a photo in its own size, for the screen and as a thumbnail, with nothing in it but pixels."""
    from PIL import Image, ImageOps

    if form == "JPEG" and content.count(_SCAN) > MOST_SCANS:
        raise UploadRefused("unreadable", "the photo is built up in too many steps; save it again as JPEG")
    try:
        with Image.open(io.BytesIO(content), formats=[form]) as opened:
            if opened.width * opened.height > most_pixels:
                raise UploadRefused("too_many_pixels", f"the photo has more than {most_pixels} pixels")
            opened.load()
            ImageOps.exif_transpose(opened, in_place=True)
            fresh = _only_pixels(_in_srgb(opened), form)
        sizes = {"original": _encoded(fresh, form, 88)}
        # In place, the largest first: a second copy of a large photo would take much memory.
        for name, side in (("screen", SCREEN), ("thumbnail", THUMBNAIL)):
            fresh.thumbnail((side, side))
            sizes[name] = _small(fresh, name)
    except UploadRefused:
        raise
    except Exception as error:  # decoders of hostile bytes raise whatever they like
        raise UploadRefused(
            "unreadable", "the photo cannot be read; save it again as JPEG, PNG or WebP"
        ) from error
    return sizes


def _in_srgb(image: Image.Image) -> Image.Image:
    """Return the image with its colours as numbers of sRGB; a profile that cannot be read is passed over."""
    from PIL import ImageCms

    profile = image.info.get("icc_profile")
    if not profile or len(profile) > _LARGEST_PROFILE:
        return image
    if image.mode in ("P", "PA", "1"):
        image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    if image.mode not in ("RGB", "RGBA", "CMYK", "L"):
        return image
    try:
        own = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        standard = ImageCms.createProfile("sRGB")
        if image.mode in ("RGB", "RGBA"):
            ImageCms.profileToProfile(image, own, standard, inPlace=True)
            return image
        return ImageCms.profileToProfile(image, own, standard, outputMode="RGB") or image
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return image


def _only_pixels(image: Image.Image, form: str) -> Image.Image:
    """Return a fresh image with the same pixels, and no metadata; a JPEG shows what is transparent as white."""
    from PIL import Image

    see_through = image.has_transparency_data
    if see_through:
        pixels = image.convert("RGBA")
        if form != "JPEG":
            fresh = Image.new("RGBA", pixels.size)
            # What was rubbed out keeps its colours in many editors: where nothing shows, nothing is kept.
            fresh.paste(pixels, mask=pixels.getchannel("A").point(_SHOWS))
            return fresh
        fresh = Image.new("RGB", pixels.size, "white")
        fresh.paste(pixels, mask=pixels.getchannel("A"))
        return fresh
    fresh = Image.new("RGB", image.size)
    fresh.paste(image if image.mode == "RGB" else _in_bytes(image).convert("RGB"))
    return fresh


def _in_bytes(image: Image.Image) -> Image.Image:
    """Return a grey image of 16 bits a pixel with the upper 8 of them: cut at 255 it would be white."""
    if not image.mode.startswith("I;16"):
        return image
    return image.convert("I").point(lambda grey: grey * (1 / 256)).convert("L")


def _small(image: Image.Image, name: str) -> Picture:
    """Return a picture that is quick to load: as good as fits into so many bytes."""
    # What one sees through stays so on the screen, where a page may be dark.
    form = "WEBP" if name == "screen" and image.mode == "RGBA" else "JPEG"
    plain = _only_pixels(image, form)
    for quality in _QUALITIES:
        made = _encoded(plain, form, quality, optimize=True, progressive=True)
        if len(made.content) <= MOST_BYTES[name]:
            return made
    while len(made.content) > MOST_BYTES[name]:
        plain.thumbnail((plain.width * 7 // 8, plain.height * 7 // 8))
        made = _encoded(plain, form, quality, optimize=True, progressive=True)
    return made


def _encoded(image: Image.Image, form: str, quality: int, **options: bool) -> Picture:
    buffer = io.BytesIO()
    image.save(buffer, form, quality=quality, **options)
    return Picture(buffer.getvalue(), PHOTO_TYPES[form], image.width, image.height)
