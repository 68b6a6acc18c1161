"""The reference page of limits: when a job is refused, with the numbers of the code."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Final

from app.core.config.settings import Settings
from app.core.errors import Overloaded, RateLimited
from app.domains.money.ledger.service import CREDIT
from app.domains.queue.jobs.admission.admission import WAITING_SHARE
from app.domains.queue.jobs.admission.backlogs import (
    LEAST_WINDOW_SECONDS,
    LONGEST_RETRY_SECONDS,
    LOOK_SECONDS,
    SHORTEST_RETRY_SECONDS,
    UNKNOWN_RETRY_SECONDS,
    WINDOW_SECONDS,
)
from app.domains.queue.jobs.admission.load_store import COUNTED
from app.domains.queue.webhooks import outbox
from app.domains.records.page_jobs.runs.continuation import RUN
from app.domains.records.page_jobs.service import MOST_QUEUED_PAGES
from app.domains.records.page_jobs.verification import verifications
from app.domains.search.searches import service as searches

DEFAULTS: Final[dict[str, Any]] = {spec.name.upper(): spec.default for spec in fields(Settings)}
ADMITTED: Final = (
    ("`POST /external/v1/search`, `POST /onchain/v1/search`", searches.KIND),
    ("`POST /v1/extract/jobs`, `POST /v1/extract/jobs/{job_id}/rerun`", RUN),
    ("`POST /v1/extract/verify`", verifications.VERIFY),
    ("tests and redeliveries of webhooks", outbox.KIND),
    ("`POST /v1/credits`", CREDIT),
)
REFUSALS: Final = (
    (
        RateLimited,
        "the credential has used up its requests; without a credential, the address has",
        ("RATE_LIMIT_WRITE", "RATE_LIMIT_READ", "RATE_LIMIT_ANONYMOUS"),
    ),
    (
        RateLimited,
        f"{MOST_QUEUED_PAGES:,} pages of the account wait to be read,"
        " and it starts another job under `/v1/extract/jobs`",
        (),
    ),
    (
        RateLimited,
        "the account has `ACCOUNT_QUEUE_LIMIT` jobs waiting in the queue,"
        " or as many as the queue has free places",
        ("ACCOUNT_QUEUE_LIMIT",),
    ),
    (Overloaded, "`QUEUE_LIMIT` jobs wait in the queue", ("QUEUE_LIMIT",)),
    (
        Overloaded,
        "the job would start [too late](#jobs-that-would-start-too-late) to meet its deadline:"
        " there are too few workers for what waits",
        ("SEARCH_DEADLINE_SECONDS",),
    ),
)
PAGE: Final = """# Limits

## Rate limits

The default rate limits are {write} for requests that change something and {read} for all
others, for each API key or token. Without a credential, each address has {anonymous}.

## When a request is refused

The server checks each request against these limits, in this order, before it does anything. A
refused request has changed nothing and can be sent again as it is, with the same `Idempotency-Key`.

| answer | when | the operator changes it with |
|---|---|---|
{refusals}

Every refusal has the header `Retry-After`, in seconds. Answers to requests with a credential also
have `RateLimit` and `RateLimit-Policy`, which say how many requests are left. Long polls, event
streams, sign-ins, exports and chats have [limits of their
own](../how-to/scale-and-deploy.md#overload).

## Jobs that would start too late

The server accepts a job only if it can start within {share:.0%} of the time until its deadline; the
rest is for the work.

| request | queue | seconds until the deadline | seconds until it must start |
|---|---|---|---|
{admitted}

The deadline of searches is a setting, and that of a job under `/v1/extract/jobs` its own field
`deadline`; the table shows the defaults. A job is refused if

    ahead > {share:g} * deadline * rate

- `ahead` is the number of jobs that start before this one: at most those that wait in the queue.
  Accounts take turns, so if you have `own` jobs waiting, and `accounts` accounts have jobs waiting,
  it is also at most `(own + 1) * (accounts + 1)`.
- `rate` is how many jobs of the queue start each second, as the mean of the last {window:g}
  seconds. Until workers have been busy for {least:g} seconds it is unknown, and no job is refused
  for this reason.

For example, where two searches start each second, a single account gets about {example:.0f}
searches into the queue. The next one is refused, and `Retry-After` says when enough of the others
will have started.

Each process counts up to {counted:,} waiting jobs of a queue, every {look:g} s. For longer queues
it takes the last sample of the dispatcher, at most ten seconds old, and adds what it has accepted
since, so several processes together may accept a few seconds' worth more than `QUEUE_LIMIT`.

## How long to wait

`Retry-After` is the number of jobs that must start first, divided by the rate: at least {shortest}
and at most {longest} seconds, and {unknown} if the rate is unknown. For an account with too many
jobs waiting, it takes into account that accounts take turns.

## What to do

- **Wait for `Retry-After`, plus a random second or two, and send the same request again.** Keep its
  `Idempotency-Key`: if an earlier try was accepted after all, you get that job and no second one.
- **Keep few jobs open at a time.** More than the workers have places for only wait.
  `examples/many_searches.py` asks many questions, eight at a time.
- **The client does the waiting for you.** It sends the same request again after `Retry-After` and a
  random pause, and raises `errors.Overloaded` or `errors.TooManyRequests` only when its
  [policy](client.md#policy) allows no further try, or when `Retry-After` ends after the deadline of
  the call. For work that is not urgent, allow more: `Client(policy=Policy(deadline_seconds=600,
  retries=50))`. The exception has the seconds in `retry_after`, and the command line ends with exit
  code 75.
- **Accepted work is never refused later.** It ends with a result, or at its deadline as failed with
  `deadline_exceeded`.
"""


def page() -> str:
    """When a job is refused, what to do then, and which settings change it."""
    return PAGE.format(
        write=DEFAULTS["RATE_LIMIT_WRITE"],
        read=DEFAULTS["RATE_LIMIT_READ"],
        anonymous=DEFAULTS["RATE_LIMIT_ANONYMOUS"],
        refusals="\n".join(_refusals()),
        share=WAITING_SHARE,
        admitted="\n".join(_admitted()),
        window=WINDOW_SECONDS,
        least=LEAST_WINDOW_SECONDS,
        example=2 * WAITING_SHARE * DEFAULTS["SEARCH_DEADLINE_SECONDS"],
        counted=COUNTED,
        look=LOOK_SECONDS,
        shortest=SHORTEST_RETRY_SECONDS,
        longest=LONGEST_RETRY_SECONDS,
        unknown=UNKNOWN_RETRY_SECONDS,
    )


def _refusals() -> Iterator[str]:
    for error, when, names in REFUSALS:
        settings = ", ".join(f"`{name}` ({DEFAULTS[name]})" for name in names)
        yield f"| {error.status} `{error.code}` | {when} | {settings} |"


def _admitted() -> Iterator[str]:
    for request, kind in ADMITTED:
        seconds = kind.deadline_seconds
        yield f"| {request} | `{kind.queue}` | {seconds:g} | {WAITING_SHARE * seconds:g} |"
