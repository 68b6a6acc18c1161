"""The quality of a source, and the facts it was computed from."""

from marshmallow import Schema, fields, validate


class RelevanceBasisSchema(Schema):
    """Features of the most relevant passage, from 0 to 1, and its place in the stored page."""

    coverage = fields.Float(required=True, allow_none=True)
    best_sentence = fields.Float(required=True, allow_none=True)
    bigram = fields.Float(required=True, allow_none=True)
    cosine = fields.Float(required=True, allow_none=True)
    start = fields.Int(required=True, allow_none=True)
    end = fields.Int(required=True, allow_none=True)


class AuthorityBasisSchema(Schema):
    """Based on the operator's list, or on links, engines and the page's own statements."""

    domain = fields.Str(required=True, metadata={"description": "Registrable domain."})
    list = fields.Str(
        required=True, allow_none=True, validate=validate.OneOf([None, "allow", "deny"])
    )
    linking_domains = fields.Int(
        required=True,
        allow_none=True,
        metadata={
            "description": "Other registrable domains with links to this one, in the crawl of "
            "this server."
        },
    )
    engines_returning = fields.Int(required=True, allow_none=True)
    engines_asked = fields.Int(required=True, allow_none=True)
    https = fields.Bool(required=True, allow_none=True)
    author = fields.Bool(required=True, allow_none=True)
    publisher = fields.Bool(required=True, allow_none=True)
    contact = fields.Bool(required=True, allow_none=True)


class FreshnessBasisSchema(Schema):
    """`source` and `precision` describe the origin and precision of the date."""

    published_at = fields.Str(required=True, allow_none=True, metadata={"format": "date-time"})
    source = fields.Str(required=True, allow_none=True)
    precision = fields.Str(required=True, allow_none=True)
    wants_fresh = fields.Bool(required=True)
    half_life_days = fields.Int(required=True)


class ContentBasisSchema(Schema):
    """`distance_to_better` is the simhash distance to the nearest more relevant source."""

    words = fields.Int(required=True, metadata={"description": "Counted up to 300."})
    main_text_ratio = fields.Float(required=True, allow_none=True)
    language = fields.Str(required=True, allow_none=True)
    language_matches = fields.Bool(required=True, allow_none=True)
    blocked = fields.Str(
        required=True,
        allow_none=True,
        validate=validate.OneOf([None, "no", "soft_404", "paywall", "consent_wall", "thin_list"]),
    )
    distance_to_better = fields.Int(required=True, allow_none=True)


class AgreementBasisSchema(Schema):
    """Cited sentences and the independent sources that support them."""

    claims = fields.Int(required=True)
    supported = fields.Int(required=True)
    independent_sources = fields.Int(required=True, metadata={"description": "This one included."})
    supported_by = fields.List(
        fields.Int(), required=True, metadata={"description": "`n` of sources."}
    )


class BasisSchema(Schema):
    """Facts behind each part; null means unknown."""

    relevance = fields.Nested(RelevanceBasisSchema, required=True)
    authority = fields.Nested(AuthorityBasisSchema, required=True)
    freshness = fields.Nested(FreshnessBasisSchema, required=True)
    content = fields.Nested(ContentBasisSchema, required=True)
    agreement = fields.Nested(AgreementBasisSchema, required=True)


class QualitySchema(Schema):
    """Parts of the score, from 0 to 1; null means unknown and is ignored."""

    relevance = fields.Float(required=True, allow_none=True, metadata={"example": 0.94})
    authority = fields.Float(required=True, allow_none=True, metadata={"example": 0.62})
    freshness = fields.Float(required=True, allow_none=True, metadata={"example": 0.8})
    content = fields.Float(required=True, allow_none=True, metadata={"example": 0.9})
    agreement = fields.Float(required=True, allow_none=True)
    formula = fields.Str(required=True, metadata={"example": "q1"})
    basis = fields.Nested(BasisSchema, metadata={"description": "Absent in older results."})
