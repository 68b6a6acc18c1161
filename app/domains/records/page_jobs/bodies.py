"""The common members of requests for jobs, and the parts that several types take."""

import re
from typing import Any, Final

from marshmallow import Schema, ValidationError, validate, validates_schema

from app.core.http import fields
from app.core.http.fields import STORABLE, Flag, Integer, Items, Number, Part, Text
from app.core.http.variants import VariantsSchema, named
from app.domains.library.pages.addresses import WebUrl
from app.domains.queue.webhooks.schemas import JobWebhookIn
from app.domains.records.page_jobs import example_page
from app.domains.records.page_jobs.kinds import DEADLINE_SECONDS
from app.engine.extraction.schema.schema import SchemaRefused, plan
from app.engine.extraction.values.compare import steps

MOST_PAGES: Final = 20_000
PAGES: Final = 1_000
MOST_URLS: Final = 1_000
MOST_SECONDS: Final = 86_400

_DURATION: Final = re.compile(r"([1-9][0-9]{0,4})([smhd])")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_NO_FIELD: Final = "The schema has no such field."
_POINTER: Final = re.compile(r"(/([^~/\x00]|~[01])*)+")


class Duration(fields.Str):
    """`30m`; loads as seconds."""

    def __init__(self, *, least: int, most: int, **kwargs: Any) -> None:
        super().__init__(pattern=f"^{_DURATION.pattern}$", **kwargs)
        self.least, self.most = least, most

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        match = _DURATION.fullmatch(super()._deserialize(value, attr, data, **kwargs))
        seconds = int(match[1]) * _SECONDS[match[2]] if match else 0
        if not self.least <= seconds <= self.most:
            raise ValidationError(
                f"Must be a number and s, m, h or d, {self.least} to {self.most} seconds in all."
            )
        return seconds


class Pointer(fields.Str):
    """A JSON pointer (RFC 6901) into a record."""

    def __init__(self, **kwargs: Any) -> None:
        described = {"examples": ["/price"], **kwargs}
        super().__init__(pattern=f"^{_POINTER.pattern}$", maxLength=400, **described)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs))
        if len(text) > 400 or not _POINTER.fullmatch(text):
            raise ValidationError("Not a JSON pointer such as /price.")
        return text


class RecordSchema(fields.Dict):
    """JSON Schema of a record. Errors contain pointers into the schema."""

    def __init__(self, **kwargs: Any) -> None:
        description = (
            "JSON Schema (draft 2020-12, a subset) of one record: an object with `properties`."
        )
        super().__init__(**{"description": description, **kwargs})

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        try:
            plan(value)
        except SchemaRefused as refused:
            raise ValidationError(_nested(refused.problems)) from None
        return value


def _nested(problems: list[tuple[str, str]]) -> dict[str, Any]:
    """Problems by pointer, as marshmallow nests its messages."""
    root: dict[str, Any] = {}
    for pointer, problem in problems:
        node = root
        for step in steps(pointer):
            node = node.setdefault(step, {})
        node.setdefault("_schema", []).append(problem)
    return root


class Metadata(fields.Dict):
    """Up to 16 strings of the caller's own."""

    MOST, MOST_NAME, MOST_VALUE = 16, 64, 500

    def __init__(self) -> None:
        value = {"type": "string", "maxLength": self.MOST_VALUE, "pattern": STORABLE}
        super().__init__(
            load_default=dict,
            type="object",
            maxProperties=self.MOST,
            propertyNames={"maxLength": self.MOST_NAME, "pattern": STORABLE},
            additionalProperties=value,
            description="Custom data, stored with the job and sent with its events.",
        )

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise ValidationError("Must be an object.")
        if len(value) > self.MOST:
            raise ValidationError(f"Must have at most {self.MOST} entries.")
        for name, text in value.items():
            if len(name) > self.MOST_NAME:
                raise ValidationError(f"Names must have at most {self.MOST_NAME} characters.")
            if not isinstance(text, str) or len(text) > self.MOST_VALUE:
                raise ValidationError(
                    {name: [f"Must be a string of at most {self.MOST_VALUE} characters."]}
                )
        return dict(value)


class UrlSourceSchema(Schema):
    """One page."""

    type = named("url")
    url = WebUrl(required=True, example="https://birds.example.org/owls")


class UrlsSourceSchema(Schema):
    """Pages by address."""

    type = named("urls")
    urls = Items(WebUrl(), least=1, most=MOST_URLS, required=True)


class SitemapSourceSchema(Schema):
    """Pages of a sitemap or a sitemap index."""

    type = named("sitemap")
    url = WebUrl(required=True)


def _patterns(**options: Any) -> Items:
    description = "Path prefixes (`/docs/`), or globs with *, ? or [ over the whole path."
    return Items(Text(most=200), most=20, description=description, **options)


class CrawlSourceSchema(Schema):
    """Pages of a site, found by following links."""

    type = named("crawl")
    url = WebUrl(required=True)
    max_depth = Integer(load_default=3, validate=validate.Range(0, 20))
    include = _patterns()
    but = _patterns(data_key="exclude", attribute="exclude")


class SearchSourceSchema(Schema):
    """Search results from indexed pages and configured web engines."""

    type = named("search")
    query = Text(required=True, most=2_000, lines=True)


class SourceIn(VariantsSchema):
    variants = {  # noqa: RUF012 (as its parent declares it)
        "url": UrlSourceSchema,
        "urls": UrlsSourceSchema,
        "sitemap": SitemapSourceSchema,
        "crawl": CrawlSourceSchema,
        "search": SearchSourceSchema,
    }


class ValidationIn(Schema):
    sample_rate = Number(
        0, 1, load_default=0.0, description="Share of records to check with a second extraction."
    )
    require_provenance = Flag(
        load_default=False, description="Drop values without a matching quote in the page."
    )


class ExampleData(fields.Dict):
    """A record as the schema wants it, as far as somebody has written it down."""

    MOST = 200

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict) or not 1 <= len(value) <= self.MOST:
            raise ValidationError(f"Must be an object with 1 to {self.MOST} members.")
        return value


class ExampleIn(Schema):
    """An example page and its record."""

    url = WebUrl(required=True)
    data = ExampleData(required=True)


class ModelIn(Schema):
    """Use of the configured model. Without a model, rules do all the work."""

    use = fields.Str(
        load_default="fill",
        validate=validate.OneOf(["never", "fill", "check"]),
        description="`fill` completes fields the rules left empty; `check` also checks the others.",
    )
    max_tokens = Integer(
        load_default=1_000_000,
        validate=validate.Range(1_000, 100_000_000),
        description="Total budget of all calls. The job then continues without the model.",
    )


class CommonIn(Schema):
    """Common fields of all jobs."""

    max_pages = Integer(load_default=PAGES, validate=validate.Range(1, MOST_PAGES))
    deadline_seconds = Duration(
        data_key="deadline",
        least=1,
        most=MOST_SECONDS,
        load_default=DEADLINE_SECONDS,
        description="Time limit of each run. Records found by then are kept.",
    )
    metadata = Metadata()
    webhook = Part(JobWebhookIn)


class ExtractionIn(CommonIn):
    """Extraction of records from pages."""

    type = named("extraction")
    source = Part(SourceIn, required=True)
    schema = RecordSchema(required=True, example=example_page.SCHEMA)
    validation = Part(ValidationIn)
    examples = Items(Part(ExampleIn), most=10)
    model = Part(ModelIn)

    @validates_schema
    def _examples_fit(self, body: dict[str, Any], **_: Any) -> None:
        examples = body.get("examples")
        if not examples:
            return
        known = {field.name for field in plan(body["schema"]).fields}
        unknown = {
            n: {"data": {name: [_NO_FIELD] for name in example["data"] if name not in known}}
            for n, example in enumerate(examples)
            if not known.issuperset(example["data"])
        }
        if unknown:
            raise ValidationError({"examples": unknown})
