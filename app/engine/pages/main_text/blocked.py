"""Pages that stand where the text should be: not found, pay, consent, or nothing but links."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from app.engine.pages.blocks.canonical import Block, BlockKind
from app.engine.pages.blocks.structured import Node

Blocked = Literal["soft_404", "paywall", "consent_wall", "thin_list", "login_wall", "error_page"]

_NOT_FOUND = re.compile(
    r"\b404\b|\b(?:page|document|file|article|content) (?:(?:was|could) )?(?:not (?:be )?found"
    r"|(?:no longer |un)available|does not exist)|\bnot found$|^not found\b"
    r"|\b(?:seite|dokument|artikel) (?:wurde )?nicht gefunden|\bpage (?:introuvable|non trouvée)"
    r"|\bpágina no encontrada|\bpagina non trovata|\bpágina não encontrada"
    r"|\bpagina niet gevonden|\bnie znaleziono strony|страница не найдена|页面(?:不存在|未找到)"
    r"|ページが見つかりません",
    re.IGNORECASE,
)
_PAY = re.compile(
    r"\bsubscribe (?:now )?to (?:continue|read|keep) |\bto (?:continue|keep) reading,? "
    r"|\bthis (?:article|story|content) is (?:only )?(?:for|available to|reserved for) "
    r"(?:our )?(?:paying )?(?:subscribers|members)|\balready a subscriber\?"
    r"|\b(?:weiterlesen|lesen sie weiter) mit |\bjetzt (?:abo|abonnieren)\b.{0,40}weiterlesen"
    r"|\bbereits abonnent\?|\barticle réservé (?:aux|à nos) abonnés"
    r"|\bcontenido exclusivo para suscriptores|\bpara (?:continuar|seguir) leyendo"
    r"|\bcontenuto riservato agli abbonati|\bconteúdo exclusivo para assinantes",
    re.IGNORECASE,
)
_CONSENT = re.compile(
    r"\bcookies?\b|\bconsent\b|\bprivacy\b|\bpartners\b|\baccept all\b|\breject all\b"
    r"|\bdatenschutz|\beinwilligung|\balle (?:akzeptieren|ablehnen)\b|\btout accepter\b"
    r"|\bconfidentialité\b|\baceptar todo\b|\bprivacidad\b|\bbefore you continue\b",
    re.IGNORECASE,
)
_SHORT_WORDS, _TEASER_WORDS = 120, 250
_FEWEST_CONSENT_WORDS = 0.06  # of all words: six in a hundred speak of consent
_LEAST_LINKS, _MOSTLY = 5, 0.6
_SEARCHED = 20_000


def blocked(
    title: str | None, blocks: Sequence[Block], meta: Mapping[str, str], node: Node
) -> Blocked | None:
    """Returns what a page is instead of a text; None when it seems to be one.

    Errs to None: only short pages are called missing or a consent wall, and a paywall has to be
    declared (schema.org `isAccessibleForFree`, `article:content_tier`) or to end a short teaser.
    """
    text = "\n".join(block.text for block in blocks)[:_SEARCHED]
    words = len(text.split())
    if words <= _SHORT_WORDS and _is_missing(title, blocks):
        return "soft_404"
    if _is_declared_paid(meta, node) or (words <= _TEASER_WORDS and _PAY.search(text)):
        return "paywall"
    if words <= _TEASER_WORDS and speaks_of_consent(text):
        return "consent_wall"
    return "thin_list" if _is_thin_list(blocks) else None


def speaks_of_consent(text: str) -> bool:
    return len(_CONSENT.findall(text)) > max(3, _FEWEST_CONSENT_WORDS * len(text.split()))


def _is_missing(title: str | None, blocks: Sequence[Block]) -> bool:
    texts = [title or "", *(block.text for block in blocks[:2])]
    return any(_NOT_FOUND.search(x[:200]) for x in texts)


def _is_declared_paid(meta: Mapping[str, str], node: Node) -> bool:
    free = node.get("isAccessibleForFree")
    value = str(free).strip().lower() in ("false", "no", "0", "http://schema.org/false")
    return value or meta.get("article:content_tier", "").lower() == "locked"


def _is_thin_list(blocks: Sequence[Block]) -> bool:
    """Mostly link text in items or rows: a list of what is elsewhere."""
    length = sum(len(block.text) for block in blocks)
    listed = [b for b in blocks if b.kind is not BlockKind.HEADING and b.linked > 0.5 * len(b.text)]
    return len(listed) >= _LEAST_LINKS and sum(b.linked for b in listed) > _MOSTLY * length
