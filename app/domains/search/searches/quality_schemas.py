"""The quality of a source, and the facts it was computed from."""

from marshmallow import Schema, validate

from app.core.http import fields
from app.core.http.fields import AnswerSchema


class RelevanceBasisSchema(AnswerSchema):
    """Features of the most relevant passage, from 0 to 1, and its place in the stored page."""

    coverage = fields.Float(allow_none=True)
    best_sentence = fields.Float(allow_none=True)
    bigram = fields.Float(allow_none=True)
    cosine = fields.Float(allow_none=True)
    start = fields.Int(allow_none=True)
    end = fields.Int(allow_none=True)


class AuthorityBasisSchema(AnswerSchema):
    """Based on the operator's list, or on links, engines and the page's own statements."""

    domain = fields.Str(description="Registrable domain.")
    list = fields.Str(allow_none=True, validate=validate.OneOf([None, "allow", "deny"]))
    linking_domains = fields.Int(
        allow_none=True,
        description="Other registrable domains with links to this one, in the crawl of "
        "this server.",
    )
    engines_returning = fields.Int(allow_none=True)
    engines_asked = fields.Int(allow_none=True)
    https = fields.Bool(allow_none=True)
    author = fields.Bool(allow_none=True)
    publisher = fields.Bool(allow_none=True)
    contact = fields.Bool(allow_none=True)


class FreshnessBasisSchema(AnswerSchema):
    """`source` and `precision` describe the origin and precision of the date."""

    published_at = fields.Str(allow_none=True, format="date-time")
    source = fields.Str(allow_none=True)
    precision = fields.Str(allow_none=True)
    wants_fresh = fields.Bool()
    half_life_days = fields.Int()


class ContentBasisSchema(AnswerSchema):
    """`distance_to_better` is the simhash distance to the nearest more relevant source."""

    words = fields.Int(description="Counted up to 300.")
    main_text_ratio = fields.Float(allow_none=True)
    language = fields.Str(allow_none=True)
    language_matches = fields.Bool(allow_none=True)
    blocked = fields.Str(
        allow_none=True,
        validate=validate.OneOf([None, "no", "soft_404", "paywall", "consent_wall", "thin_list"]),
    )
    distance_to_better = fields.Int(allow_none=True)


class AgreementBasisSchema(AnswerSchema):
    """Cited sentences and the independent sources that support them."""

    claims = fields.Int()
    supported = fields.Int()
    independent_sources = fields.Int(description="This one included.")
    supported_by = fields.List(fields.Int(), description="`n` of sources.")


class BasisSchema(AnswerSchema):
    """Facts behind each part; null means unknown."""

    relevance = fields.Nested(RelevanceBasisSchema)
    authority = fields.Nested(AuthorityBasisSchema)
    freshness = fields.Nested(FreshnessBasisSchema)
    content = fields.Nested(ContentBasisSchema)
    agreement = fields.Nested(AgreementBasisSchema)


class QualitySchema(Schema):
    """Parts of the score, from 0 to 1; null means unknown and is ignored."""

    relevance = fields.Float(required=True, allow_none=True, example=0.94)
    authority = fields.Float(required=True, allow_none=True, example=0.62)
    freshness = fields.Float(required=True, allow_none=True, example=0.8)
    content = fields.Float(required=True, allow_none=True, example=0.9)
    agreement = fields.Float(required=True, allow_none=True)
    formula = fields.Str(required=True, example="q1")
    basis = fields.Nested(BasisSchema, required=True)
