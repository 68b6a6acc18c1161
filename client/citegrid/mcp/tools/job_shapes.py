"""The shapes that the tools about extraction take and give; the rules of `shapes` hold here too."""

from typing import Annotated, Final, Literal

from pydantic import Field

from citegrid.mcp.shapes import MOST_WAIT_SECONDS, Shape
from citegrid.nouns.records.job_requests import JobStatus

MOST_OFFSET: Final = 5_000

FieldType = Literal["text", "number", "integer", "boolean", "date", "url"]


class WantedField(Shape):
    name: str = Field(min_length=1, max_length=64, description="Such as price.")
    description: str = Field(max_length=300, description="What it is, as the pages may call it.")
    type: FieldType = "text"


Urls = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=2000)]] | None,
    Field(max_length=50, description="The pages to read; instead of query."),
]
SourceQuery = Annotated[
    str | None,
    Field(min_length=1, max_length=2000, description="Read the pages a search for this returns."),
]
Fields = Annotated[
    list[WantedField] | None,
    Field(max_length=50, description="The fields of one record; instead of record_schema."),
]
RecordSchema = Annotated[
    str,  # without null: the SDK would parse it
    Field(
        max_length=65_536,
        description="JSON Schema of one record, as text; only where fields do not suffice.",
    ),
]
MaxPages = Annotated[int, Field(ge=1, le=100, description="Most pages to read.")]
JobId = Annotated[
    str,
    Field(
        pattern="^[A-Za-z0-9_-]{1,64}$",
        description="A job_id that service_start_extraction returned.",
    ),
]
JobWaitSeconds = Annotated[
    int,
    Field(
        ge=0,
        le=MOST_WAIT_SECONDS,
        description="0 answers at once; more waits so many seconds for the end. The job goes on.",
    ),
]
RecordOffset = Annotated[int, Field(ge=0, le=MOST_OFFSET, description="How many records to skip.")]
RecordLimit = Annotated[int, Field(ge=1, le=50, description="Most records to return.")]


class EndedExtraction(Shape):
    job_id: str
    status: JobStatus
    next_step: str


class Extraction(Shape):
    job_id: str
    status: JobStatus
    pages_found: int
    pages_done: int
    pages_failed: int
    records_found: int
    error_code: str = Field(description="Set when status is failed.")
    error_message: str
    next_step: str = Field(description="What to do now.")


class Value(Shape):
    field: str = Field(description="JSON pointer into the record, such as /price.")
    value: str = Field(description="Text as it is, else JSON.")
    quote: str = Field(description="Cut from the page word for word, or empty.")


class ExtractedRecord(Shape):
    record_id: str
    url: str
    confidence: float = Field(description="0 to 1.")
    unsure: list[str] = Field(description="Check these fields.")
    values: list[Value]
    unsatisfied: list[str] = Field(description="Fields that are missing or not as wanted.")


class RecordList(Extraction):
    records: list[ExtractedRecord]
    offset: int
    truncated: bool = Field(
        description="True when something was left out; next_step says how to read it."
    )
