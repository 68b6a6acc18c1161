"""Why a picture is not taken."""

from typing import Final

SENTENCES: Final = {
    "invalid_data_url": "Takes data:image/png;base64, with its content; or jpeg, or webp.",
    "unsupported_media_type": "Takes image/png, image/jpeg or image/webp.",
    "invalid_base64": "The content is not canonical base64 (RFC 4648, section 4).",
    "too_large": "Takes at most 262144 bytes, decoded.",
    "mime_mismatch": "The content does not begin as its media type says.",
    "invalid_image": "The image is damaged or incomplete.",
    "image_too_many_pixels": "Takes at most 4096 pixels a side.",
    "animated_image": "Animations are not taken.",
    "trailing_data": "Something follows the end of the image.",
}


class ImageRefused(ValueError):
    """A picture that is not taken: `reason` for programs, the text of the error for people."""

    def __init__(self, reason: str) -> None:
        super().__init__(SENTENCES[reason])
        self.reason = reason
