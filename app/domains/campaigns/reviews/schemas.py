"""Answers about reputations."""

from marshmallow import Schema, fields, validate

from app.core.http.fields import Time


class ReputationSchema(Schema):
    right = fields.Int(
        required=True,
        validate=validate.Range(min=0),
        metadata={
            "example": 100,
            "description": "Votes that agreed with the decision, or with what is known.",
        },
    )
    wrong = fields.Int(required=True, validate=validate.Range(min=0), metadata={"example": 5})
    mean = fields.Float(
        required=True,
        validate=validate.Range(min=0, max=1),
        metadata={
            "example": 0.9391,
            "description": "The expected share of right votes; 0.8 before the first.",
        },
    )
    interval_90 = fields.List(
        fields.Float(validate=validate.Range(min=0, max=1)),
        required=True,
        validate=validate.Length(equal=2),
        metadata={
            "example": [0.8986, 0.9706],
            "description": "The share is within these, nine times of ten.",
        },
    )
    in_probation = fields.Bool(
        required=True,
        metadata={
            "example": False,
            "description": "The first twelve answers are tests: they do not count yet.",
        },
    )
    suspended_at = Time(
        required=True,
        allow_none=True,
        metadata={"description": "Since then your nodes get nothing to vote on."},
    )
    suspended_reason = fields.Str(required=True, allow_none=True)


class ReputationOut(Schema):
    reputation = fields.Nested(ReputationSchema, required=True)
