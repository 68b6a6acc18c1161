"""The decoding of pictures from strangers, by C libraries: for the confined child alone.

The copy is made of pixels alone: no camera, no place, no comment, no colour profile survives, and
nothing that is not a picture.
"""

import io
import warnings
from typing import Final

from PIL import (
    Image,
    ImageCms,
    ImageFile,
    ImageOps,
    JpegImagePlugin,
    PngImagePlugin,
    WebPImagePlugin,
)

from app.engine.images import containers
from app.engine.images.refusal import ImageRefused

MOST_SIDE: Final = 4096
PUBLIC_SIDE: Final = 512

# Named by their modules: Pillow loads all of its formats when it is asked for one it does not have.
FORMATS: Final = {
    "image/png": PngImagePlugin.PngImageFile.format,
    "image/jpeg": JpegImagePlugin.JpegImageFile.format,
    "image/webp": WebPImagePlugin.WebPImageFile.format,
}
_TRANSPARENT: Final = frozenset({"RGBA", "LA", "PA", "RGBa", "La"})
_COLOUR_MANAGED: Final = frozenset({"RGB", "RGBA", "CMYK", "L"})

Image.MAX_IMAGE_PIXELS = MOST_SIDE * MOST_SIDE
warnings.simplefilter("error", Image.DecompressionBombWarning)
ImageFile.LOAD_TRUNCATED_IMAGES = False
PngImagePlugin.MAX_TEXT_CHUNK = containers.MOST_INFLATED_BYTES
PngImagePlugin.MAX_TEXT_MEMORY = 4 * containers.MOST_INFLATED_BYTES


def public_copy(data: bytes, media_type: str) -> bytes:
    """A picture as WebP: upright, in sRGB, at most 512 pixels a side, with nothing but its pixels.

    Raises ImageRefused. Takes some milliseconds, for the largest pictures half a second.
    """
    return _copy(_decode(data, media_type))


def _decode(data: bytes, media_type: str) -> Image.Image:
    try:
        containers.walk(data, media_type)
        picture = Image.open(io.BytesIO(data), formats=(FORMATS[media_type],))
        if max(picture.size) > MOST_SIDE:  # the header alone was read so far
            raise ImageRefused("image_too_many_pixels")
        if getattr(picture, "n_frames", 1) != 1:
            raise ImageRefused("animated_image")
        picture.load()
    except ImageRefused:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise ImageRefused("image_too_many_pixels") from None
    except Exception:  # noqa: BLE001 (Pillow raises many kinds for what it cannot read)
        raise ImageRefused("invalid_image") from None
    return picture


def _copy(picture: Image.Image) -> bytes:
    try:
        upright = _in_srgb(_in_bytes(ImageOps.exif_transpose(picture)))
        transparent = upright.mode in _TRANSPARENT or "transparency" in upright.info
        small = upright.convert("RGBA" if transparent else "RGB")
        small.thumbnail((PUBLIC_SIDE, PUBLIC_SIDE), Image.Resampling.LANCZOS)
        bare = Image.new(small.mode, small.size)
        bare.paste(small)
        written = io.BytesIO()
        bare.save(written, "WEBP", quality=85, method=4)
    except Exception:  # noqa: BLE001 (as above: metadata and profiles are hostile too)
        raise ImageRefused("invalid_image") from None
    return written.getvalue()


def _in_bytes(picture: Image.Image) -> Image.Image:
    """Grey of 16 bits as grey of 8; Pillow would cut it off at 255 instead."""
    if not picture.mode.startswith("I"):
        return picture
    return picture.convert("I").point(lambda value: value * (1 / 256)).convert("L")


def _in_srgb(picture: Image.Image) -> Image.Image:
    """Colours as the profile of the picture means them; a profile nobody understands is ignored."""
    profile = picture.info.get("icc_profile")
    if not profile or picture.mode not in _COLOUR_MANAGED:
        return picture
    try:
        converted = ImageCms.profileToProfile(
            picture,
            ImageCms.ImageCmsProfile(io.BytesIO(profile)),
            ImageCms.createProfile("sRGB"),
            outputMode="RGBA" if picture.mode == "RGBA" else "RGB",
        )
    except (ImageCms.PyCMSError, OSError, ValueError):
        return picture
    return converted or picture
