"""Why a picture is not taken."""

from typing import Final

SENTENCES: Final = {
    "invalid_data_url": "Must be a data URL: data:image/png;base64, or jpeg or webp, with the "
    "content.",
    "unsupported_media_type": "Must be image/png, image/jpeg or image/webp.",
    "invalid_base64": "The content is not canonical base64 (RFC 4648, section 4).",
    "too_large": "Must have at most 262144 bytes after decoding.",
    "mime_mismatch": "The content does not match its media type.",
    "invalid_image": "The image is damaged or incomplete.",
    "too_costly": "Decoding the image takes too much time or memory.",
    "image_too_many_pixels": "Must have at most 4096 pixels per side.",
    "animated_image": "Animated images are not supported.",
    "trailing_data": "The file has data after the end of the image.",
}


class ImageRefused(ValueError):
    """A picture that is not taken: `reason` for programs, the text of the error for people."""

    def __init__(self, reason: str) -> None:
        super().__init__(SENTENCES[reason])
        self.reason = reason
