"""The child process that parses a PDF: limits itself, reads stdin, prints one JSON object.

Run by path, never imported: it stands apart from the package, so that a crash or a hostile file
takes nothing with it. Arguments: pages, characters, memory in bytes, CPU seconds.
"""

import json
import resource
import sys


def main() -> None:
    most_pages, most_characters, memory, cpu = (int(argument) for argument in sys.argv[1:5])
    _limit(memory, cpu)
    try:
        answer = _read(sys.stdin.buffer.read(), most_pages, most_characters)
    except (MemoryError, ImportError, OSError):  # not even the library fits
        answer = {"error": "too_large"}
    sys.stdout.write(json.dumps(answer))


def _limit(memory: int, cpu: int) -> None:
    for kind, limit in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
    ):
        resource.setrlimit(kind, (limit, limit))


def _read(body: bytes, most_pages: int, most_characters: int) -> dict[str, object]:
    # Imported under the limits: the library is part of what is not trusted.
    import pypdfium2  # noqa: PLC0415

    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        return {"error": "encrypted" if "assword" in str(error) else "not_text"}
    pages: list[list[list[object]]] = []
    characters = 0
    for number in range(min(len(document), most_pages)):
        try:
            lines = _lines(pypdfium2.raw, document[number].get_textpage())
        except pypdfium2.PdfiumError:
            continue  # one broken page does not take the others with it
        pages.append(lines)
        characters += sum(len(str(line[0])) for line in lines)
        if characters > most_characters:
            return {"error": "too_large"}
    about = document.get_metadata_dict()
    return {
        "pages": pages,
        "title": about.get("Title"),
        "author": about.get("Author"),
        "created": about.get("CreationDate"),
    }


def _lines(raw, textpage) -> list[list[object]]:  # type: ignore[no-untyped-def]
    """Lines of one page as [text, height of the font, baseline] in points, y upwards."""
    lines: list[list[object]] = []
    index = 0
    x, baseline, box = raw.c_double(), raw.c_double(), raw.FS_RECTF()
    for line in textpage.get_text_range().splitlines(keepends=True):
        text = line.rstrip("\r\n")
        if text.strip():
            # A letter or figure: bullets come from other fonts, and stand higher.
            inside = next((i for i, character in enumerate(text) if character.isalnum()), 0)
            raw.FPDFText_GetLooseCharBox(textpage, index + inside, box)
            raw.FPDFText_GetCharOrigin(textpage, index + inside, x, baseline)
            lines.append([text, round(box.top - box.bottom, 1), round(baseline.value, 1)])
        index += len(line)
    return lines


if __name__ == "__main__":
    main()
