"""Pages that stand before the one that was asked for: a login, a consent, an error."""

import re
from collections.abc import Iterator
from typing import Final, Literal

from lxml.html import HtmlElement

from app.engine.extraction.text.onetext import OneText
from app.engine.pages.facts.metadata import host_names, without_site
from app.engine.pages.main_text.blocked import speaks_of_consent

Gate = Literal["login_wall", "consent_wall", "error_page"]

_MOST_WORDS: Final = 150
_MOST_TITLES: Final = 5
_LONGEST_TITLE: Final = 100
_MOST_MORE: Final = 5  # words after those that say what a page is: Sign in to your account
_ASKING: Final = ("form", "button", "dialog")
_LOGIN: Final = (
    r"(?:please |member |customer |admin |user )?(?:log ?-?in|log ?on|sign ?-?in|sign ?-?up"
    r"|create (?:an |your )?account|forgot(?:ten)? (?:your )?password|reset (?:your )?password"
    r"|anmelden|anmeldung|einloggen|(?:se )?connecter|connexion|s[’']identifier"
    r"|iniciar sesi[oó]n|acceder|inicia sesi[oó]n|entrar|iniciar sess[aã]o|accedi|accesso"
    r"|inloggen|aanmelden|zaloguj(?: si[eę])?|logowanie|logga in|войти|вход|авторизация)\b"
    r"|登录|登入|ログイン|サインイン|로그인"
)
_CONSENT: Final = (
    r"(?:before you continue|we value your privacy|your privacy"
    r"|we (?:use|care)\b.*\b(?:cookies|privacy)"
    r"|(?:cookie|privacy|consent)[ -](?:consent|settings|preferences|choices|notice|wall)"
    r"|manage (?:your )?(?:cookies|consent)|consent|datenschutz-?einstellungen"
    r"|privatsph[aä]re(?:-?einstellungen)?|einwilligung|avant de continuer|vie priv[eé]e"
    r"|antes de continuar|privacidad|prima di continuare|la tua privacy)\b"
)
_ERROR: Final = (
    r"(?:(?:http |error )+(?:4\d\d|50\d)|(?:4\d\d|50\d)[\W_]+(?:error|forbidden|unauthori[sz]ed|bad"
    r"|internal|service|gateway|access|too many)|internal server error|service (?:temporarily )?"
    r"unavailable|bad gateway|gateway time-?out|something went wrong|an error (?:has )?occurred"
    r"|too many requests|attention required|are you (?:a )?(?:human|robot)"
    r"|verify (?:that )?you are (?:a )?human|checking your browser|ein fehler ist aufgetreten"
    r"|une erreur est survenue|se ha producido un error)\b"
)
# Each may be the name of a book: nothing else stands beside it.
_ERROR_ALONE: Final = (
    r"access denied|forbidden|unauthori[sz]ed|bad request|server error|application error"
    r"|fatal error|just a moment|zugriff verweigert|acc[eè]s refus[eé]|acceso denegado"
    r"|accesso negato|toegang geweigerd"
)


def _saying(words: str, alone: str = "(?!)") -> re.Pattern[str]:
    more = rf"(?:\s*\S+){{0,{_MOST_MORE}}}"
    return re.compile(rf"(?:{words})[\W_]*{more}|(?:{alone})[\W_]*", re.IGNORECASE)


_SAYING: Final = {
    "login_wall": _saying(_LOGIN),
    "consent_wall": _saying(_CONSENT),
    "error_page": _saying(_ERROR, _ERROR_ALONE),
}


def gate(root: HtmlElement, page: OneText, url: str) -> Gate | None:
    """Returns what a short page is that has nothing to read; None if it seems to be one.

    Its title or heading has to say so: a page about a thing may have a login beside it.
    """
    visible = page.text[: page.visible_end]
    if len(visible.split(None, _MOST_WORDS + 1)) > _MOST_WORDS:
        return None
    titles = list(_titles(root, page, url))

    def says(kind: Gate) -> bool:
        return any(_SAYING[kind].fullmatch(title) for title in titles)

    if says("login_wall") and any(_takes_words(form) for form in root.iter("form")):
        return "login_wall"
    asks = next(root.iter(*_ASKING), None) is not None
    if says("consent_wall") and asks and speaks_of_consent(visible):
        return "consent_wall"
    return "error_page" if says("error_page") else None


def _titles(root: HtmlElement, page: OneText, url: str) -> Iterator[str]:
    sites = host_names(url)
    stated = [page.text[leaf.start : leaf.end] for name, leaf in page.meta if name == "title"]
    shown = [page.of(head) for head in root.iter("h1", "h2") if head in page.places]
    for title in (*stated, *shown)[:_MOST_TITLES]:
        if len(title) <= _LONGEST_TITLE:
            yield without_site(" ".join(title.split()), sites).strip()


def _takes_words(form: HtmlElement) -> bool:
    """True if a form asks for a text, such as a name or a password, and not for a search."""
    asked = (field.get("type") or "text" for field in form.iter("input"))
    return any(kind.lower() in ("text", "email", "password", "tel") for kind in asked)
