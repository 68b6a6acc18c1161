"""Build small PDF files by hand, so that no binary is kept in the repository."""


def pdf(
    *pages: list[tuple[int, int, str]], info: str = "", trailer: str = "", drawn: str = ""
) -> bytes:
    """A PDF with one page per list of (font size, y, text), text at x = 72 in Helvetica; `drawn`
    are operators that draw on each. A font F2 has letters that are none to a reader.
    """
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        texts = (f"BT /F1 {size} Tf 72 {y} Td ({text}) Tj ET" for size, y, text in lines)
        content = "\n".join([*texts, drawn])
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R"
            f" /Resources << /Font << /F1 3 0 R /F2 {_UNMAPPED} >> >> >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    objects.append(f"<< {info} >>")
    return _file(objects, f"/Root 1 0 R /Info {len(objects)} 0 R {trailer}")


_GLYPHS = " ".join(f"/g{code}" for code in range(33, 127))
_UNMAPPED = (
    "<< /Type /Font /Subtype /Type1 /BaseFont /AAAAAA+Owls /Encoding"
    f" << /Type /Encoding /Differences [33 {_GLYPHS}] >> >>"
)


def _file(objects: list[str], trailer: str) -> bytes:
    out = "%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    return (
        f"{out}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size {len(objects) + 1} {trailer} >>\nstartxref\n{len(out)}\n%%EOF\n"
    ).encode("latin-1")
