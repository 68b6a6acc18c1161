"""The request for a workflow: steps, each of a closed form, that need one another."""

from typing import Any, Final

from marshmallow import Schema, ValidationError, validate, validates_schema

from app.core.http import fields
from app.core.http.fields import AnswerSchema, FullMatch, Integer, Items, Number, Part, Text, Time
from app.core.http.variants import VariantsSchema, named
from app.domains.records.page_jobs.bodies import CommonIn, Pointer, RecordSchema, SourceIn
from app.domains.records.workflows import graph, steps
from app.engine.extraction.schema import patterns

MOST_STEPS: Final = 30
MOST_NEEDS: Final = 10
MOST_RETRIES: Final = 5
MOST_PARALLEL: Final = 8
OPERATORS: Final = ("eq", "ne", "lt", "le", "gt", "ge", "contains", "exists", "matches")


class Scalar(fields.Raw):
    """A text of up to 200 characters, a number, true, false or null."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, str | int | float | bool | None) or len(str(value)) > 200:
            raise ValidationError(
                "Must be a text of at most 200 characters, a number or a boolean."
            )
        return value


class _StepIn(Schema):
    id = fields.Str(
        required=True,
        validate=FullMatch(r"^[a-z][a-z0-9_-]{0,39}\Z"),
        description="Id used by other steps.",
        examples=["read"],
    )
    needs = Items(
        fields.Str(validate=validate.Length(1, 40)),
        most=MOST_NEEDS,
        load_default=list,
        description="Steps that provide the input. The step starts after them.",
    )
    retry = Integer(
        load_default=0,
        validate=validate.Range(0, MOST_RETRIES),
        description="Retries after a failure.",
    )


def _parallel() -> Integer:
    description = "Maximum parallel work."
    return Integer(
        load_default=4, validate=validate.Range(1, MOST_PARALLEL), description=description
    )


def _with(schema: type[Schema]) -> Part:
    return Part(schema, required=True, data_key="with", attribute="with")


class SearchWithSchema(Schema):
    query = Text(
        required=True,
        most=steps.MOST_QUERY,
        description="Placeholders such as {/name} insert a value from each input item and "
        "run one search per item.",
    )
    most = Integer(load_default=20, validate=validate.Range(1, 50))


class SearchStepSchema(_StepIn):
    """Search results as items `{url, title, snippet}`."""

    type = named("search")
    parallel = _parallel()
    with_ = _with(SearchWithSchema)


class ExtractionWithSchema(Schema):
    schema = RecordSchema(required=True)
    source = Part(SourceIn)
    url = Pointer(
        load_default="/url", description="Pointer to one or more addresses in each input item"
    )


class ExtractionStepSchema(_StepIn):
    """Records from a source or from addresses of other steps."""

    type = named("extraction")
    parallel = _parallel()
    with_ = _with(ExtractionWithSchema)


class FilterWithSchema(Schema):
    pointer = Pointer(required=True)
    operator = fields.Str(required=True, validate=validate.OneOf(OPERATORS))
    value = Scalar(allow_none=True, description="Value to compare with; see `operator`.")

    @validates_schema
    def _comparable(self, data: dict[str, Any], **_: Any) -> None:
        value = data.get("value")
        if data["operator"] == "exists":
            if value not in (None, True, False):
                raise ValidationError("Must be true, false or null.", "value")
        elif "value" not in data:
            raise ValidationError("Missing data for required field.", "value")
        elif data["operator"] == "matches":
            _check_pattern(value)


def _check_pattern(value: Any) -> None:
    if not isinstance(value, str):
        raise ValidationError("Must be a regular expression.", "value")
    try:
        patterns.compiled(value)
    except patterns.PatternRefused as refused:
        raise ValidationError(str(refused), "value") from None


class FilterStepSchema(_StepIn):
    """Items that meet a condition."""

    type = named("filter")
    with_ = _with(FilterWithSchema)


class DedupeWithSchema(AnswerSchema):
    by = Items(Pointer(), least=1, most=10, description="Fields that identify duplicates.")


class DedupeStepSchema(_StepIn):
    """Removes duplicates and keeps the first item."""

    type = named("dedupe")
    with_ = _with(DedupeWithSchema)


class ValidateWithSchema(Schema):
    rate = Number(
        0,
        1,
        above=True,
        load_default=0.1,
        description="Share of records to check with a second extraction.",
    )


class ValidateStepSchema(_StepIn):
    """Passes all items and adds the agreement of a second extraction to `validation` of the job."""

    type = named("validate")
    with_ = _with(ValidateWithSchema)


class StepIn(VariantsSchema):
    """One of the types of steps."""

    variants = {  # noqa: RUF012 (as its parent declares it)
        "search": SearchStepSchema,
        "extraction": ExtractionStepSchema,
        "filter": FilterStepSchema,
        "dedupe": DedupeStepSchema,
        "validate": ValidateStepSchema,
    }


class WorkflowIn(CommonIn):
    """Connected steps. The records of the final steps are the result."""

    type = named("workflow")
    steps = Items(Part(StepIn), least=1, most=MOST_STEPS, required=True)

    @validates_schema
    def _graph(self, data: dict[str, Any], **_: Any) -> None:
        errors: dict[str | int, Any] = {}
        for path, sentence in graph.problems(data["steps"]):
            node = errors
            for step in ("steps", *path[:-1]):
                node = node.setdefault(step, {})
            node.setdefault(path[-1], []).append(sentence)
        if errors:
            raise ValidationError(errors)


class StepErrorSchema(Schema):
    code = fields.Str(required=True)
    message = fields.Str(required=True)
    retryable = fields.Bool()


class StepPagesSchema(AnswerSchema):
    found = fields.Int()
    done = fields.Int()
    failed = fields.Int()


class StepOut(AnswerSchema):
    """Current state of a step."""

    id = fields.Str()
    type = fields.Str()
    needs = fields.List(fields.Str())
    state = fields.Str(
        validate=validate.OneOf(["blocked", "ready", "running", "done", "failed", "skipped"])
    )
    because = fields.Str(
        allow_none=True, description="Reason of the failure, or the failed input step."
    )
    items_in = fields.Int()
    items_out = fields.Int()
    tries = fields.Int(description="That failed.")
    pages = fields.Nested(StepPagesSchema, allow_none=True, description="Of an extraction.")
    error = fields.Nested(StepErrorSchema, allow_none=True)
    started_at = Time(allow_none=True)
    completed_at = Time(allow_none=True)
