"""Controls that stand in a text and say nothing: handles, copy buttons, edit links, separators."""

import re
from collections.abc import Sequence

from lxml.html import HtmlElement

from app.engine.pages.blocks.canonical import Block, BlockKind, canonical

_HANDLES = frozenset({
    "", "¶", "#", "§", "◆", "🔗", "\uf0c1", "permalink", "more...", "↩", "↩\ufe0e", "↑", "^",
})  # fmt: skip
_SOURCES = frozenset({"[source]", "[src]", "[docs]", "[edit]"})
_LONGEST_HANDLE = len("permalink")
_FEW_SIGNS = 3
# Between tabs, links, crumbs. Other signs may be what a cell or a definition is about.
_SEPARATORS = frozenset("/|\\•·∙●▪◦‣›»‹«…–—→←↑↓▲▼▶◀►◄✓✔✕×⋮≡☰\u200d")
_COPY = re.compile(
    r"(?:copy|copied|kopieren|copier|copiar|copia|复制|複製|コピー|복사)!?"
    r"(?: (?:code|link|snippet|to clipboard|in die zwischenablage|le code|código))?",
    re.IGNORECASE,
)
# Of a block that is all link.
_EDIT = re.compile(
    r"(?:edit|improve|modify|suggest (?:an? )?(?:edits?|changes?)(?: to)?)"
    r"(?: (?:this|the))?(?: (?:page|article|document))?(?: on \w+)?"
    r"|(?:view|show|see)(?: (?:this|the))? (?:page )?source(?: on \w+)?"
    r"|report (?:a bug|an issue|a problem|an error)(?: on \w+)?"
    r"|(?:back to |go to )?top(?: of page)?"
    r"|(?:diese )?seite bearbeiten|modifier (?:cette|la) page|editar (?:esta )?página"
    r"|modifica (?:questa )?pagina|редактировать (?:эту )?страницу"
    r"|编辑此页|編輯此頁|このページを編集(?:する)?",
    re.IGNORECASE,
)
_LONGEST_CONTROL = 60
# Of manuals in several pages: "Next: Options, Previous: Usage, Up: Top".
_STEP = re.compile(
    r"\b(?:next|previous|prev|up|top|home|weiter|nächste[rs]?|vorige[rs]?|zurück|nach oben|suivant"
    r"|précédent|monter|siguiente|anterior|subir)\s*[:：]",
    re.IGNORECASE,
)
_LONGEST_STEPS = 400
_ONLY_STEPS = re.compile(
    r"(?:(?:\W|[_\d])*+(?:next|previous|prev|up|top|home|index|modules|(?:table of )?contents"
    r"|page|chapter|section))++\W*",
    re.IGNORECASE,
)
_LOOSE = frozenset({BlockKind.PARAGRAPH, BlockKind.ITEM})


def is_handle(link: HtmlElement) -> bool:
    """True if a link is only the handle of a heading (a pilcrow, a hash, a chain), leads from a
    note back to its text, or from the name of a function to its source.
    """
    text = ""
    for piece in link.itertext():  # no further than needed: links may be nested
        text += piece.strip(" \t\n\r\f\u00a0\u200b")
        if len(text) > _LONGEST_HANDLE:
            return False
    text = text.lower()
    return text in _SOURCES or (text in _HANDLES and "#" in (link.get("href") or ""))


def without_controls(blocks: Sequence[Block]) -> list[Block]:
    """`blocks` without those that are controls, or nothing but a sign or two between such."""
    kept: list[Block] = []
    for place, block in enumerate(blocks):
        before = blocks[place - 1] if place else None
        after = blocks[place + 1] if place + 1 < len(blocks) else None
        if not (_is_text(block) or _is_value(before)) or _is_copy(block, before, after):
            continue
        if _is_steps(block):
            continue
        kept.append(block)
    return kept


def _is_text(block: Block) -> bool:
    """True if a paragraph or an item says anything; whatever else is there has a form that does."""
    if block.kind not in _LOOSE or len(block.text) > _LONGEST_CONTROL:
        return True
    signs = "".join(canonical(block.text).split())
    if len(signs) <= _FEW_SIGNS and (_SEPARATORS.issuperset(signs) or _is_linked_sign(block)):
        return False
    all_link = block.linked >= 0.9 * len(signs)
    return not (all_link and _EDIT.fullmatch(block.text.strip(" .›»→")))


def _is_steps(block: Block) -> bool:
    """True if a block only leads to the pages around its own."""
    if block.kind not in _LOOSE or len(block.text) > _LONGEST_STEPS or not block.linked:
        return False
    return len(_STEP.findall(block.text)) > 1 or (
        block.linked > 0.5 * len(block.text) and bool(_ONLY_STEPS.fullmatch(block.text))
    )


def _is_linked_sign(block: Block) -> bool:
    return block.linked > 0 and not any(sign.isalnum() for sign in block.text)


def _is_value(before: Block | None) -> bool:
    """True if what follows belongs to a term or a label, so that a single sign is its value."""
    return before is not None and (
        before.kind is BlockKind.TERM or before.text.endswith((":", "："))
    )


def _is_copy(block: Block, before: Block | None, after: Block | None) -> bool:
    """True if a block is the button of the listing beside it."""
    beside = {neighbour.kind for neighbour in (before, after) if neighbour is not None}
    if (
        BlockKind.CODE not in beside
        or block.kind not in _LOOSE
        or len(block.text) > _LONGEST_CONTROL
    ):
        return False
    return bool(_COPY.fullmatch(block.text.strip()))
