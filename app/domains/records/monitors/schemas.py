"""The contents of a request for a monitor."""

from collections.abc import Iterator
from typing import Any

from marshmallow import Schema, ValidationError, validates_schema

from app.core.http.fields import Items, Part, Text
from app.core.http.variants import named
from app.domains.records.monitors import timetable
from app.domains.records.page_jobs.bodies import CommonIn, Pointer, RecordSchema, SourceIn
from app.engine.extraction.schema.schema import Plan, SchemaRefused, plan


class ScheduleIn(Schema):
    """Either `every`, or `cron` with a time zone."""

    every = Text(
        most=5,
        description="A number and m, h, d or w. Minimum: `5m`.",
        examples=["1d"],
        pattern="^[1-9][0-9]{0,3}[mhdw]$",
    )
    cron = Text(
        most=200,
        description="Five fields: minute, hour, day of month, month, day of week.",
        examples=["0 7 * * 1-5"],
    )
    timezone = Text(most=64, description="IANA time zone. Default: UTC.")

    @validates_schema
    def _check(self, data: dict[str, Any], **_: Any) -> None:
        if ("every" in data) == ("cron" in data):
            raise ValidationError("Give either `every` or `cron`.")
        if "every" in data:
            _check_every(data)
        else:
            _check_cron(data["cron"], data.get("timezone", "UTC"))


def _check_every(data: dict[str, Any]) -> None:
    if timetable.every_seconds(data["every"]) is None:
        raise ValidationError("Must be a number and m, h, d or w: at least 5m.", "every")
    if "timezone" in data:
        raise ValidationError("Goes with `cron` only.", "timezone")


def _check_cron(cron: str, timezone: str) -> None:
    if not timetable.is_zone(timezone):
        raise ValidationError("Not a time zone of the IANA database.", "timezone")
    if problem := timetable.cron_problem(cron):
        raise ValidationError(problem, "cron")


class MonitoringIn(CommonIn):
    """Pages to read on a schedule and compare with earlier versions, by the fields of `schema` or
    else by text.
    """

    type = named("monitoring")
    source = Part(SourceIn, required=True)
    schedule = Part(ScheduleIn, required=True)
    schema = RecordSchema()
    track = Items(
        Pointer(),
        least=1,
        most=50,
        description="Fields to compare. Default: all fields of `schema`.",
    )

    @validates_schema
    def _check(self, data: dict[str, Any], **_: Any) -> None:
        if "track" not in data:
            return
        if "schema" not in data:
            raise ValidationError("Requires `schema`.", "track")
        try:
            known = set(pointers(plan(data["schema"])))
        except SchemaRefused:
            return  # which the schema's own problems say
        problems: dict[Any, list[str]] = {
            at: ["Must be a field of `schema`."]
            for at, pointer in enumerate(data["track"])
            if pointer not in known
        }
        if problems:
            raise ValidationError({"track": problems})


def pointers(record: Plan) -> Iterator[str]:
    return (field.pointer for field in record.every())
