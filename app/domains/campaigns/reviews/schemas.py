"""Answers about reputations."""

from marshmallow import validate

from app.core.http import fields
from app.core.http.fields import AnswerSchema, Time


class ReputationSchema(AnswerSchema):
    right = fields.Int(
        validate=validate.Range(min=0),
        example=100,
        description="Votes that agreed with the decision or the known answer.",
    )
    wrong = fields.Int(validate=validate.Range(min=0), example=5)
    mean = fields.Float(
        validate=validate.Range(min=0, max=1),
        example=0.9391,
        description="Estimated share of right votes; 0.8 before the first.",
    )
    interval_90 = fields.List(
        fields.Float(validate=validate.Range(min=0, max=1)),
        validate=validate.Length(equal=2),
        example=[0.8986, 0.9706],
        description="90 % credible interval of the share.",
    )
    in_probation = fields.Bool(
        example=False, description="The first twelve votes are tests and do not count."
    )
    suspended_at = Time(
        allow_none=True, description="Start of the suspension. Suspended nodes get no votes."
    )
    suspended_reason = fields.Str(allow_none=True)


class ReputationOut(AnswerSchema):
    reputation = fields.Nested(ReputationSchema)
