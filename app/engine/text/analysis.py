"""From text to index terms, identical at index time and at query time."""

import re
import threading
import unicodedata
from collections.abc import Iterator

import Stemmer

from app.engine.text.numbers import ungrouped
from app.engine.text.scripts import (
    PLAIN_WORD,
    UNSPACED_RUN,
    WORD,
    has_marks,
    primary_language,
    script_language,
    shares_script,
)
from app.engine.text.stopwords import NO_STOPWORDS, STOPWORDS

MAX_TERM = 64  # code points
_CACHED_CHUNKS = 60_000  # per language; a chunk is at most MAX_CHUNK characters
_MAX_CHUNK = 128
_MOST_GROWTH = 3

_SNOWBALL = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque",
    "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian", "no": "norwegian",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
_UNSTEMMED = frozenset({"vi", "th", "zh", "ja", "ko", "he", "lo", "km", "my", "uk", "bg"})
_NOT_LATIN = (_UNSTEMMED - {"vi"}) | {"el", "ru", "hy", "ar", "fa", "hi", "ne", "ta"}


def _chunk(word: str) -> re.Pattern[str]:
    """Yields what stands between spaces and sentence punctuation: words, identifiers."""
    return re.compile(
        rf"(?:(?<![{word}.+#-])(?:--?|[$@]))?[{word}]+(?:(?:[.'’-]|,(?=\d{{3}}))[{word}]+)*"
        r"(?:\+\+|#(?!\w))?"
    )


_CHUNK, _PLAIN_CHUNK = _chunk(WORD), _chunk(PLAIN_WORD)
_WORDS = re.compile(rf"(?:(?!_)[{WORD}])+")
_ACRONYM = re.compile(r"(?:[^\W\d_]\.){1,}[^\W\d_]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SIGIL = re.compile(r"--?[A-Za-z]|[$@]")
# Between Latin letters, what joins two or keeps them apart shows nothing.
_JOINER = re.compile("(?<=[a-zA-Z\u00c0-\u024f])[\u200c\u200d]+(?=[a-zA-Z\u00c0-\u024f])")
_DOTTED = re.compile(r"\w\.\w")


_stemmers: dict[str, Stemmer.Stemmer] = {}
_chunks: dict[str, dict[str, tuple[str, ...]]] = {}
"""The terms of chunks that were met before, by language."""
_lock = threading.Lock()  # a Snowball stemmer holds state


def terms(text: str, language: str | None = None) -> list[str]:
    """The terms of `text` in order, each 1 to 64 code points without NUL, repeats kept.

    `language` is an ISO 639-1 code, a region after a hyphen is ignored. Never raises; thread-safe.

    - NFKC and case folding; words with their combining marks; Snowball stems of `language`, English
      for Latin text of unknown language; Latin diacritics dropped after stemming (not Vietnamese).
    - Function words of the language are left out.
    - Han, kana, Hangul, Thai, Lao, Khmer and Myanmar runs become overlapping character bigrams; a
      run of one character becomes that character.
    - An identifier (`max_connections`, `--no-cache`, `3.11`, `C++`, `$PATH`, `os.environ`,
      `maxAge`) yields itself unstemmed, then its parts as words. `U.S.` yields `us`, `1,033` 1033.
    """
    code = primary_language(language)
    # One letter may stand for eighteen: no text is written in these alone.
    most = _MOST_GROWTH * len(text) + _MAX_CHUNK
    text = unicodedata.normalize("NFKC", text)[:most]
    if "\u200c" in text or "\u200d" in text:
        text = _JOINER.sub("", text)
    known = _chunks.setdefault(code, {})
    found: list[str] = []
    extend = found.extend
    for chunk in (_CHUNK if has_marks(text) else _PLAIN_CHUNK).findall(text):
        learnt = known.get(chunk)
        extend(_learn(chunk, code, known) if learnt is None else learnt)
    return found


def _learn(chunk: str, code: str, known: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    with _lock:
        found = tuple(_expand(chunk, code))
        if len(chunk) <= _MAX_CHUNK and not UNSPACED_RUN.search(chunk):
            if len(known) >= _CACHED_CHUNKS:
                known.clear()
            known[chunk] = found
    return found


def _expand(chunk: str, code: str) -> Iterator[str]:
    if UNSPACED_RUN.search(chunk):
        yield from _split_unspaced(chunk, code)
        return
    if _ACRONYM.fullmatch(chunk):
        yield chunk.replace(".", "").casefold()[:MAX_TERM]
        return
    chunk = ungrouped(chunk)
    whole = _identifier(chunk)
    if whole:
        yield whole
    for part in _WORDS.findall(chunk):
        yield from _word(part, code)


def _split_unspaced(chunk: str, code: str) -> Iterator[str]:
    position = 0
    for run in UNSPACED_RUN.finditer(chunk):
        yield from _spaced(chunk[position : run.start()], code)
        signs = run[0].casefold()
        yield from (signs[i : i + 2] for i in range(max(1, len(signs) - 1)))
        position = run.end()
    yield from _spaced(chunk[position:], code)


def _spaced(text: str, code: str) -> Iterator[str]:
    for word in _WORDS.findall(text):
        yield from _word(word, code)


def _word(word: str, code: str) -> Iterator[str]:
    humps = _CAMEL.split(word) if word.isascii() else [word]
    if len(humps) > 1 and min(map(len, humps)) > 1:
        yield word.casefold()[:MAX_TERM]
        for hump in humps:
            yield from _word(hump, code)
        return
    folded = _fold_case(word, code)
    language = _word_language(folded, code)
    if folded not in STOPWORDS.get(language, NO_STOPWORDS):
        yield _drop_accents(_stem(folded, language), language)[:MAX_TERM]


def _stem(word: str, language: str) -> str:
    if language in _UNSTEMMED or word.isdigit() or len(word) > MAX_TERM:
        return word
    name = _SNOWBALL.get(language, "english")
    stemmer = _stemmers.get(name)
    if stemmer is None:
        stemmer = _stemmers[name] = Stemmer.Stemmer(name, 0)  # the chunk cache is ours
    return str(stemmer.stemWord(word)) or word


def is_cut(text: str) -> bool:
    """True if `text` grows so much in NFKC that its terms may depend on what stands around it."""
    if text.isascii():
        return False
    return len(unicodedata.normalize("NFKC", text)) > _MOST_GROWTH * len(text)


def _identifier(chunk: str) -> str | None:
    """The whole chunk as a term when its punctuation carries meaning, else None."""
    if len(chunk) > MAX_TERM or not chunk.isascii():
        return None
    telling = (
        "_" in chunk.strip("_")
        or chunk.endswith(("++", "#"))
        or _SIGIL.match(chunk)
        or _DOTTED.search(chunk)
    )
    return chunk.casefold() if telling else None


def _fold_case(word: str, code: str) -> str:
    if code == "tr":
        word = word.replace("İ", "i").replace("I", "ı")
    return unicodedata.normalize("NFC", word.casefold())


def _word_language(word: str, code: str) -> str:
    """The language whose rules apply to one word: its script overrules the text's language."""
    hinted = None if word.isascii() else script_language(word)
    if hinted is None:
        return "en" if not code or code in _NOT_LATIN else code
    return code if shares_script(code, hinted) else hinted


def _drop_accents(word: str, language: str) -> str:
    if word.isascii() or language == "vi" or script_language(word):
        return word
    decomposed = unicodedata.normalize("NFD", word)
    return "".join(x for x in decomposed if not unicodedata.combining(x)) or word
