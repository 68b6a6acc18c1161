"""The answer of a search as its page shows it: passages or sentences, each with its markers."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib import parse

from markupsafe import Markup

from app.domains.search.searches.answer_state import DOUBTS, answer_state
from app.engine.answer.extracts.extractive import markers
from app.web.citations import text_blocks
from app.web.citations.quotes import (
    MATCHES,
    MOVED,
    PAGE_CHANGED,
    CitedQuote,
    ShownPlace,
    digest,
    locate,
)
from app.web.citations.text_blocks import MarkedText, visible

NOTHING: Final = Markup("")
MOST_ADJACENT: Final = 3
"""Markers in a row; what is beyond them is folded."""
_FENCED: Final = re.compile(r"(?<!`)(?P<fence>`{3,})\n(?P<code>.*?)\n(?P=fence)", re.DOTALL)
_SUBHEADING: Final = Markup('<p class="subheading">{}</p>')
_NOTE_MARK: Final = re.compile(r"\[\d+\]")
_FRAGMENT_WORDS: Final = 6
_MOST_FRAGMENT: Final = 90
"""Characters of a lead that a link to the live page quotes whole."""
_CODE: Final = re.compile(r"[a-z]+(_[a-z]+)+: ")


@dataclass(frozen=True, slots=True)
class CitationView:
    """A citation and its source; `key` is `2`, or `2b` for its second quote."""

    key: str
    citation: Mapping[str, Any]
    source: Mapping[str, Any]
    place: ShownPlace
    intact: bool
    """True if the stored text is the one that was cited."""

    @property
    def state(self) -> str:
        return self.place.state if self.intact or not self.place.found else PAGE_CHANGED

    @property
    def found(self) -> bool:
        """True if the quote stands in the page as it was stored."""
        return self.state in (MATCHES, MOVED)

    @property
    def weak(self) -> bool:
        """True if a reader has to look twice before trusting it."""
        return not self.found or self.citation["support"] != "verified"

    def parts(self) -> tuple[str, str, str]:
        """The quote before, in and behind the words that answer."""
        text, start = self.citation["quote"], self.citation["start"]
        a = self.citation["lead_start"] - start
        b = self.citation["lead_end"] - start
        return text[:a], text[a:b], text[b:]

    def shown(self) -> Markup:
        """The blocks of the quote that hold the words that answer, which are marked."""
        text, (before, lead, _) = self.citation["quote"], self.parts()
        start, end = len(before), len(before) + len(lead)
        around = [
            (a, b) for _, a, b in text_blocks.blocks(text, 0, len(text)) if a < end > start < b
        ]
        marking = MarkedText(text, start, end) if self.place.found else MarkedText(text)
        if not around:
            return marking(0, len(text))
        return text_blocks.html(text, around[0][0], around[-1][1], marking, _SUBHEADING)

    def live_address(self) -> str | None:
        """The page itself, scrolled by browsers to the words that answer, or to their page."""
        url: str = self.source["url"]
        if not url.startswith(("http://", "https://")):
            return None
        if page := self.citation.get("page"):
            return f"{url.partition('#')[0]}#page={page}"
        return f"{url.partition('#')[0]}#:~:text={_fragment(self.parts()[1])}"


def _fragment(lead: str) -> str:
    """Of a long or broken passage, its first and its last words."""
    words = lead.split()
    if len(lead) <= _MOST_FRAGMENT and "\n" not in lead.strip():
        return _encoded(words)
    count = min(_FRAGMENT_WORDS, len(words) // 2)
    if not count:
        return _encoded(words)
    return f"{_encoded(words[:count])},{_encoded(words[-count:])}"


def _encoded(words: Sequence[str]) -> str:
    return parse.quote(" ".join(words), safe="").replace("-", "%2D")


def cited(result: Mapping[str, Any], texts: Mapping[int, str]) -> list[CitationView]:
    """Every citation in the order of the answer; `texts` are the stored ones of its sources."""
    sources = {source["n"]: source for source in result["sources"]}
    intact = {n for n, text in texts.items() if digest(text) == sources[n]["content_hash"]}
    counted: Counter[int] = Counter()
    found = []
    for citation in result["citations"]:
        n = citation["source"]
        counted[n] += 1
        place = locate(texts.get(n, ""), CitedQuote.of(citation))
        found.append(CitationView(_key(n, counted[n]), citation, sources[n], place, n in intact))
    return found


def _key(n: int, nth: int) -> str:
    if nth == 1:
        return str(n)
    return f"{n}{chr(ord('a') + nth - 1)}" if nth <= 26 else f"{n}-{nth}"


def unresolved(result: Mapping[str, Any]) -> set[int]:
    """Markers of the answer without a citation: such an answer is not to be shown."""
    return set(markers(result["answer"])) - {each["n"] for each in result["citations"]}


Marker = Callable[[CitationView], Markup]
"""Writes the link of a citation."""


@dataclass(slots=True)
class _Sentence:
    """The part of an answer shown for some quotes: a passage, or a sentence that a model wrote."""

    start: int
    end: int
    quotes: list[CitationView] = field(default_factory=list)


def body(result: Mapping[str, Any], quotes: Sequence[CitationView], marker: Marker) -> Markup:
    """The answer with its markers as links; what disagrees is said elsewhere."""
    answer, parts = result["answer"], list(_sentences(quotes))
    if result["answer_mode"] == "written":
        sentences = (_written(answer, part, marker) for part in parts)
        return Markup('<div class="written">{}</div>').format(Markup(" ").join(sentences))
    return Markup("\n").join(_passage(answer, part, marker) for part in parts)


def _sentences(quotes: Sequence[CitationView]) -> Iterator[_Sentence]:
    """In the order of the answer, each with all its quotes."""
    found: dict[tuple[int, int], _Sentence] = {}
    for each in quotes:
        place = (each.citation["answer_start"], each.citation["answer_end"])
        found.setdefault(place, _Sentence(*place)).quotes.append(each)
    return iter(sorted(found.values(), key=lambda part: part.start))


def _written(answer: str, part: _Sentence, marker: Marker) -> Markup:
    weak = any(each.weak for each in part.quotes)
    text = visible(answer[part.start : part.end])
    sentence = Markup('<span class="weak">{}</span>').format(text) if weak else text
    return sentence + _markers(part.quotes, marker)


def _passage(answer: str, part: _Sentence, marker: Marker) -> Markup:
    """Block by block, with the words that answer in bold and the markers behind the last."""
    text, start, end, lead = _readable(answer, part)
    at, written = start, []
    inline = _Passage(text, lead, end, _markers(part.quotes, marker))
    for code in _FENCED.finditer(text, start, end):
        above = text_blocks.html(text, at, code.start(), inline, _SUBHEADING, followed=True)
        written += [above, text_blocks.listing(text, *code.span("code"), inline)]
        at = code.end()
    written.append(text_blocks.html(text, at, end, inline, _SUBHEADING))
    if not inline.marked:
        written.append(Markup("<p>{}</p>").format(inline.markers))
    weak = any(each.weak for each in part.quotes)
    return Markup('<div class="passage{}">{}{}</div>').format(
        " weak" if weak else "", _path(part.quotes[0]), Markup("\n").join(written)
    )


def _path(quote: CitationView) -> Markup:
    """The headings above it, and its page."""
    path = " › ".join(quote.citation.get("headings", ()))
    if page := quote.citation.get("page"):
        path += f", page {page}" if path else f"Page {page}"
    return Markup('<p class="soft">{}</p>').format(visible(path)) if path else NOTHING


def _readable(answer: str, part: _Sentence) -> tuple[str, int, int, tuple[int, int]]:
    """A text, where in it the passage stands, and where the words stand that answer, unless they
    are all of it. The answer has rows of tables as lines; the quote has the table itself."""
    before, lead, behind = part.quotes[0].parts()
    quote = part.quotes[0].citation["quote"]
    if text_blocks.has_table(quote) and not _NOTE_MARK.search(quote):
        bold = (len(before), len(before) + len(lead)) if before + behind else (0, 0)
        return quote, 0, len(quote), bold
    at = answer.find(lead, part.start, part.end) if before + behind and lead else -1
    bold = (at, at + len(lead)) if at >= 0 else (0, 0)
    return answer, part.start, part.end, bold


class _Passage:
    """Writes slices of a passage, the lead in bold and the markers behind what ends at `end`."""

    def __init__(
        self, answer: str, lead: tuple[int, int], end: int = -1, markers: Markup = NOTHING
    ) -> None:
        self._answer, self._lead, self._end = answer, lead, end
        self.markers, self.marked = markers, False

    def __call__(self, start: int, end: int) -> Markup:
        a, b = max(start, self._lead[0]), min(end, self._lead[1])
        text = visible(self._answer[start:end])
        if a < b:
            text = Markup("{}<strong>{}</strong>{}").format(
                visible(self._answer[start:a]),
                visible(self._answer[a:b]),
                visible(self._answer[b:end]),
            )
        if end != self._end:
            return text
        self.marked = True
        return text + self.markers


def _markers(quotes: Sequence[CitationView], marker: Marker) -> Markup:
    links = [marker(each) for each in quotes]
    shown, folded = links[:MOST_ADJACENT], links[MOST_ADJACENT:]
    more = (
        Markup('<details class="more-marks"><summary>+{}</summary>{}</details>').format(
            len(folded), NOTHING.join(folded)
        )
        if folded
        else NOTHING
    )
    return NOTHING.join(shown) + more


def passage(excerpt: Mapping[str, Any]) -> Markup:
    """An excerpt of a source, block by block, with the words that fit the question best in bold."""
    text, start = excerpt["text"], excerpt["start"]
    lead = (excerpt["lead_start"] - start, excerpt["lead_end"] - start)
    bold = lead if lead != (0, len(text)) else (0, 0)
    return text_blocks.html(text, 0, len(text), _Passage(text, bold), _SUBHEADING)


def disagreement(result: Mapping[str, Any], quotes: Sequence[CitationView]) -> list[dict[str, Any]]:
    """Returns what sources say against each other, each value with its citation."""
    by_number = {each.citation["n"]: each for each in reversed(quotes)}
    return [
        {"value": value, "cited": by_number.get(n)}
        for found in result["contradictions"]
        for value, n in zip(found["values"], found["citations"], strict=True)
    ]


def sentence(warning: str) -> str:
    """Returns the text of a warning, without the code before it that programs go by."""
    code = _CODE.match(warning)
    words = warning[code.end() :] if code else warning
    return words[:1].upper() + words[1:]


def markdown(search: Mapping[str, Any]) -> str:
    """The answer with its sources and quotes, to be pasted elsewhere."""
    result = search["result"]
    doubt = DOUBTS.get(answer_state(result))
    told = [doubt, ""] if doubt else []
    lines = [f"# {_line(search['query'])}", "", *told, result["answer"], "", "## Sources", ""]
    shown = {each["source"] for each in result["citations"]}
    for source in result["sources"]:
        if source["n"] not in shown and shown:
            continue
        stored = f"stored {source['fetched_at']}, {source['content_hash']}"
        lines += [f"[{source['n']}] {_line(source['title'])}", f"<{source['url']}> ({stored})", ""]
        for citation in result["citations"]:
            if citation["source"] == source["n"]:
                page = f"page {citation['page']}, " if "page" in citation else ""
                where = f"{page}characters {citation['start']}-{citation['end']}"
                lines += [*(f"> {line}" for line in citation["quote"].split("\n")), "", where, ""]
    return "\n".join(lines)


def _line(text: str) -> str:
    return " ".join(text.split())
