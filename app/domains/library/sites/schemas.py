"""The bodies of sites that a caller sends and gets back."""

from typing import Any, Final

from marshmallow import Schema, post_load, validate

from app.core.http import fields
from app.core.http.fields import AnswerSchema, Integer, Items, PublicId, Text, Time
from app.core.ids import Noun
from app.domains.library.pages.addresses import WebUrl
from app.domains.library.sites.store import KINDS, REFRESH_SECONDS

_MOST_PAGES: Final = 10_000
_KIND: Final = (
    "`site` follows the links of its pages, as far as they stay on the site; `sitemap` reads the"
    " pages that a sitemap or a feed (RSS, Atom) lists."
)
_PATTERNS: Final = "Path prefixes (`/docs/`), or patterns for the whole path (`*/api/*`)."


class _Patterns(Items):
    def __init__(self, about: str) -> None:
        super().__init__(Text(most=500), most=100, description=f"{about} {_PATTERNS}")


class SiteIn(Schema):
    """A site to be read into a corpus."""

    url = WebUrl(required=True, examples=["https://birds.example.org/docs/"])
    kind = fields.Str(validate=validate.OneOf(KINDS), description=_KIND)
    max_pages = Integer(
        validate=validate.Range(1, _MOST_PAGES),
        description="The most addresses to visit. Default: 1000.",
    )
    include_paths = _Patterns("Only these pages are read.")
    exclude_paths = _Patterns("These pages are not read.")
    refresh = fields.Str(
        validate=validate.OneOf(tuple(REFRESH_SECONDS)),
        description="How often it is read again. Default: only when you ask for it.",
    )

    @post_load
    def _defaults(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        defaults = {"kind": "site", "max_pages": 1_000, "include_paths": [], "exclude_paths": []}
        return {**defaults, "refresh": None, **data}


class SiteSchema(AnswerSchema):
    """A site whose pages are documents of a corpus."""

    id = PublicId(Noun.SITE)
    corpus_id = PublicId(Noun.CORPUS)
    url = fields.Str(example="https://birds.example.org/docs/")
    kind = fields.Str(validate=validate.OneOf(KINDS))
    include_paths = fields.List(fields.Str(), example=[])
    exclude_paths = fields.List(fields.Str(), example=[])
    max_pages = fields.Int(example=1000)
    refresh = fields.Str(allow_none=True, validate=validate.OneOf((*REFRESH_SECONDS, None)))
    state = fields.Str(
        validate=validate.OneOf(("reading", "ready")),
        description="`reading` until every address that was found was visited.",
    )
    reason = fields.Str(
        allow_none=True,
        example=None,
        description="Why the last reading stopped, or found nothing: `nothing_listed`.",
    )
    pages = fields.Int(example=69, description="Pages to search.")
    waiting = fields.Int(example=0, description="Addresses to be visited.")
    failed = fields.Int(example=1, description="Pages that could not be read.")
    created_at = Time()
    read_at = Time(allow_none=True)


class FailedPageSchema(AnswerSchema):
    url = fields.Str(example="https://birds.example.org/docs/old")
    reason = fields.Str(example="http_404")


class SiteDetailSchema(SiteSchema):
    failures = fields.List(
        fields.Nested(FailedPageSchema),
        description="Up to 100 of the pages that could not be read, and why.",
    )


class SitesOut(AnswerSchema):
    sites = fields.List(fields.Nested(SiteSchema), description="Newest first.")
