"""Formulas and readings that stand above or below a line, in a text that has only lines."""

from lxml import etree
from lxml.html import HtmlElement

_READINGS = ("rp", "rt", "rtc")


def as_lines(root: HtmlElement) -> None:
    """Make lines, in place, of what is set above others below `root`.

    Of MathML, powers are raised as those of HTML are, and a fraction has its stroke: 10 with a
    raised 6 is not 106, and a half is not 12. Of ruby, the text is kept without the readings above
    it, which would part its words.
    """
    for power in list(root.iter("msup")):
        if len(power) > 1:
            power[1].tag = "sup"
    for fraction in list(root.iter("mfrac")):
        if len(fraction) > 1:
            _draw_stroke(fraction)
    for reading in list(root.iter(*_READINGS)):
        if next(reading.iterancestors("ruby"), None) is not None:
            reading.clear(keep_tail=True)
    etree.strip_tags(root, "ruby", "rb", *_READINGS)


def _draw_stroke(fraction: HtmlElement) -> None:
    above, below = fraction[:2]
    fraction.text, above.tail, below.tail = " ", "/", " "
    for part in (above, below):
        if len(part) > 1:
            part.text = f"({part.text or ''}"
            part[-1].tail = f"{part[-1].tail or ''})"
