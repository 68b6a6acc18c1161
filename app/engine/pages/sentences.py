"""Cut text into sentences by rule, with exact offsets; the same for every caller."""

import re
from collections.abc import Iterator

# A run of sentence ends, with the quotes, brackets and note marks that close after it. Western
# stops need white space after them; the stops of other scripts end a sentence by themselves.
# Possessive, and only from the start of a run: a page of stops costs one pass, not its square.
_CLOSERS = r"[\"'”’»›)\]}*_]*+(?:\[\d{1,3}\])*+"
_OTHER = r"(?P<other>[。！？｡．]+[」』）】〉》”’\"')]*|[।॥؟۔։።៕។။᙮]+[\"'”’)]*)"
_STOP = re.compile(rf"(?<![.!?…])[.!?…]++{_CLOSERS}(?=\s)|{_OTHER}")
_STOP_OR_GREEK = re.compile(rf"(?<![.!?…;])[.!?…;]++{_CLOSERS}(?=\s)|{_OTHER}")
_NEXT = re.compile(r"\s+[\"'“‘«‹(\[{*_¿¡„]*(?P<word>[^\s.,;:!?\"'”’)\]]*)")
_LAST_WORD = re.compile(r"[^\s(\[{\"'“‘«„/—–]*$")
_IDENTIFIER = re.compile(r"[a-z]\w*(?:[_(./]|::)|[a-z]+\d|[a-z]+[A-Z]|--?[a-z]|[$@/~]")
# A list's marker or a section's number, "3.8.": what follows is its text.
_LINE_MARKER = re.compile(
    r"\s*(?:[-*•]\s+)?\(?(?:\d{1,4}(?:\.\d{1,4})*+|[A-Za-z]|[ivxlIVXL]{1,5})[.)]?$"
)
_NEVER_FIRST = frozenset(".!?…,;:)]}")  # of a sentence
_LOOK_BACK = 60
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]", re.UNICODE)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Followed by a name or a figure, whatever its case: never the end of a sentence.
_TITLES = _words(
    "mr mrs ms dr prof rev hon gen col lt sgt capt cmdr adm gov sen rep pres messrs mme mlle sr "
    "sra hr fr st mt ft vs e.g i.e cf viz approx ca c resp incl excl al z.b d.h u.a s.o s.u bzw "
    "vgl evtl ggf inkl sog dipl ing geb gest hrsg bspw u.s.w p.ex env av mgr inż ul tel zob"
)
# Only abbreviations when a figure follows: "no. 5" against "The answer is no."
_BEFORE_FIGURES = _words(
    "no nos nr núm vol vols fig figs p pp pg ch chap sec sect art eq ex par para ver v op abs bd "
    "kap s tab cap jan feb mar apr jun jul aug sep sept oct nov dec"
)
# May end a sentence; they do when a word follows that commonly begins one.
_EITHER_WAY = _words(
    "etc inc ltd co corp jr bros dept univ est assn ave blvd rd a.m p.m u.s u.k u.n d.c b.c a.d "
    "ph.d usw etw ff min max"
)
_OPENERS = _words(
    "the this that these those it its he she they we you i a an in on at by for from to with as if "
    "when while where after before since because although though however but and or so then thus "
    "there here his her their our your my some many most all both each no not one two what who why "
    "how which also use see note der die das ein eine es er sie wir ich im am in le la les un une "
    "il elle on el los las una en se"
)
# "am 3. Oktober": these languages write ordinals with a stop.
_ORDINAL_LANGUAGES = _words("de da nb nn no fi et lv cs sk sl hr sr bs hu pl is lb tr")


def sentences(text: str, language: str | None = None) -> list[tuple[int, int]]:
    """(start, end) of each sentence of `text` in code points, in order, without overlap.

    A line end is always a boundary. The spans carry no white space at their ends and together hold
    every character that is not white space. `language` (ISO 639-1) settles German-style ordinals
    and the Greek question mark; without it English habits are assumed.
    """
    spans: list[tuple[int, int]] = []
    for line in re.finditer(r"[^\n]+", text):
        start = line.start()
        for end in _ends(line.group(), language):
            _keep(spans, text, start, line.start() + end)
            start = line.start() + end
        _keep(spans, text, start, line.end())
    return spans


def _ends(line: str, language: str | None) -> Iterator[int]:
    start = 0
    for match in (_STOP_OR_GREEK if language == "el" else _STOP).finditer(line):
        if match["other"] is not None or _is_end(line, start, match, language):
            yield match.end()
            start = match.end()


def _keep(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        begin = start + len(piece) - len(piece.lstrip())
        spans.append((begin, begin + len(stripped)))


def _is_end(line: str, start: int, stop: re.Match[str], language: str | None) -> bool:
    following = _NEXT.match(line, stop.end())
    if following is None:
        return True
    word = following["word"]
    if not word and line[following.end() : following.end() + 1] in _NEVER_FIRST:
        return False
    if word[:1].islower() and not _IDENTIFIER.match(line, following.start("word")):
        return False
    before = line[max(start, stop.start() - _LOOK_BACK) : stop.start()]
    if not any(character.isalnum() for character in before):
        return False  # ". . ." is an ellipsis, not three sentences
    if stop.group().rstrip("\"'”’»›)]}*_") != ".":
        return True
    is_marker = stop.start() - start < _LOOK_BACK and _LINE_MARKER.fullmatch(before)
    return not is_marker and _stop_ends(before, word, language)


def _stop_ends(before: str, word: str, language: str | None) -> bool:
    """True if a single full stop after `before`, with `word` next, ends a sentence."""
    last = _LAST_WORD.search(before)
    token = last.group() if last else ""
    name = token.casefold()
    if name in _TITLES or (len(name) == 1 and token.islower() and len(word) == 1):
        return False  # "z. B." is one abbreviation
    if name in _BEFORE_FIGURES and word[:1].isdigit():
        return False
    if name in _EITHER_WAY or (token[:1].isupper() and _INITIALS.fullmatch(token)):
        return word.casefold() in _OPENERS
    return not (re.fullmatch(r"\d{1,2}", token) and language in _ORDINAL_LANGUAGES)
