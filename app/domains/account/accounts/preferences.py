"""Preferences of a person on pages: the zone of times, the theme, shortcuts, rows to a page."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from app.core.db import Reader, Tx, one, run
from app.core.errors import Invalid

RELATIVE: Final = "relative"
UTC: Final = "UTC"
THEMES: Final = ("system", "light", "dark")
PAGE_SIZES: Final = (20, 50, 100, 200)


@dataclass(frozen=True, slots=True)
class Viewer:
    """Whom a page is for. `zone` is "relative", "UTC" or a name of the IANA database."""

    email: str
    operator: bool
    zone: str = RELATIVE
    theme: str = THEMES[0]
    shortcuts: bool = True
    page_size: int = 50


OF = """
    select accounts.email, accounts.operator, coalesce(preferences.zone, 'relative') as zone,
    coalesce(preferences.theme, 'system') as theme,
           coalesce(preferences.shortcuts, true) as shortcuts, coalesce(preferences.page_size,
           50) as page_size
    from accounts left join preferences on preferences.account_id = accounts.id
    where accounts.id = %(account_id)s
    """


def viewer(reader: Reader, account_id: UUID) -> Viewer:
    """Raises LookupError: a caller's account exists."""
    return one(reader, Viewer, OF, account_id=account_id)


SAVE = """
    insert into preferences (account_id, zone, theme, shortcuts, page_size)
    values (%(account_id)s, %(zone)s, %(theme)s, %(shortcuts)s, %(page_size)s)
    on conflict (account_id) do update
    set zone = excluded.zone, theme = excluded.theme, shortcuts = excluded.shortcuts,
        page_size = excluded.page_size
    """


def save(
    tx: Tx, account_id: UUID, *, zone: str, theme: str, shortcuts: bool, page_size: int
) -> None:
    """Raises Invalid."""
    problems = (
        ("zone", "Not a time zone that this server knows.", _is_zone(zone)),
        ("theme", f"Must be one of {', '.join(THEMES)}.", theme in THEMES),
        (
            "page_size",
            f"Must be one of {', '.join(map(str, PAGE_SIZES))}.",
            page_size in PAGE_SIZES,
        ),
    )
    if details := [{"field": f"/{name}", "problem": text} for name, text, ok in problems if not ok]:
        raise Invalid(details=details)
    run(
        tx,
        SAVE,
        account_id=account_id,
        zone=zone,
        theme=theme,
        shortcuts=shortcuts,
        page_size=page_size,
    )


def _is_zone(name: str) -> bool:
    if name in (RELATIVE, UTC):
        return True
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # not found, a path, a folder
        return False
    return True
