"""Formulas and readings that stand above or below a line, in a text that has only lines."""

from lxml import etree
from lxml.html import HtmlElement

_FORMULA = "math"
_READINGS = ("rp", "rt", "rtc")
_SOURCES = ("annotation", "annotation-xml")  # the same formula once more, for programs


def as_lines(root: HtmlElement) -> None:
    """Make lines, in place, of what is set above others below `root`.

    Of MathML, powers are raised as those of HTML are, and a fraction has its stroke: 10 with a
    raised 6 is not 106, and a half is not 12. Of ruby, the text is kept without the readings above
    it, which would part its words.
    """
    for formula in list(root.iter(_FORMULA)):
        _make_line(formula)
    for reading in list(root.iter(*_READINGS)):
        if next(reading.iterancestors("ruby"), None) is not None:
            reading.clear(keep_tail=True)
    etree.strip_tags(root, _FORMULA, "ruby", "rb", *_READINGS)


def _make_line(formula: HtmlElement) -> None:
    for source in list(formula.iter(*_SOURCES)):
        source.clear(keep_tail=True)
    for part in list(formula.iter(etree.Element)):
        part.text = None if (part.text or "").isspace() else part.text
        if part is not formula and (part.tail or "").isspace():
            part.tail = None
    for part in list(formula.iter(etree.Element)):
        if part.tag == "msup" and len(part) > 1:
            part[1].tag = "sup"
        elif part.tag == "mfrac" and len(part) > 1:
            _draw_stroke(part)
        part.tag = part.tag if part.tag == "sup" else _FORMULA


def _draw_stroke(fraction: HtmlElement) -> None:
    above, below = fraction[:2]
    fraction.text, above.tail, below.tail = " ", "/", " "
    for part in (above, below):
        if len(part) > 1:
            part.text = f"({part.text or ''}"
            part[-1].tail = f"{part[-1].tail or ''})"
