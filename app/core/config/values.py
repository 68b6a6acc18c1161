"""Checks of the values of settings, each of which has its type: bounds, forms, needs."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import Field
from importlib.util import find_spec
from typing import Any, Final

from app.core.config import allow_list, onchain, redis_urls, smtp_url
from app.core.config.addresses import FETCH_CONTACT, is_base_url

Values = Mapping[str, Any]

MOST_PORT: Final = 65_535
WHOLE_PERCENT: Final = 100
SPARE_THREADS: Final = 4
"""Threads of a web process that nothing which waits, and neither passwords nor exports can hold."""


def problems(settings: Iterable[Field[Any]], values: Values) -> list[str]:
    """A line for each, without the value: it may be a password."""
    return [
        *_bounds(settings, values),
        *_addresses(values),
        *_servers(values),
        *_fetches(values),
        *_choices(values),
        *_names(values),
        *_threads(values),
        *_needs(values),
        *onchain.problems(
            values["onchain_price"],
            values["onchain_networks"],
            values["onchain_gas_key"],
            values["onchain_facilitator_url"],
        ),
    ]


def _bounds(settings: Iterable[Field[Any]], values: Values) -> Iterator[str]:
    for setting in settings:
        least = setting.metadata["least"]
        if least is not None and values[setting.name] < least:
            yield f"{setting.name.upper()}: must be at least {least}"
    if values["metrics_port"] > MOST_PORT:
        yield f"METRICS_PORT: must be at most {MOST_PORT}"
    if values["chat_fee_percent"] > WHOLE_PERCENT:
        yield f"CHAT_FEE_PERCENT: must be at most {WHOLE_PERCENT}"
    if len(values["secret_key"]) < 32:
        yield "SECRET_KEY: must have at least 32 characters"


_BASE_URLS: Final = (
    "service_base_url",
    "searxng_url",
    "brave_url",
    "index_url",
    "tracing_url",
    "rerank_url",
    "model_url",
)
_DATABASE_URLS: Final = (
    "database_url",
    "database_owner_url",
    "database_direct_url",
    "database_backup_url",
)
_HOST_AND_PORT = re.compile(r"[A-Za-z0-9.-]{1,253}:(?P<port>[0-9]{1,5})")
_CONTACT = re.compile(r"(https://|mailto:|tel:)[!-~]{1,500}")
_SENDER = re.compile(
    r"([\w .-]{1,64} <)?[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9.-]{1,189}(?(1)>)", re.I
)
_PAGE = re.compile(r"https://[!-~]{1,500}")


def _addresses(values: Values) -> Iterator[str]:
    for name in _BASE_URLS:
        if values[name] and not is_base_url(values[name]):
            yield (
                f"{name.upper()}: must be http:// or https:// and a host, without a password or a"
                " query"
            )
    if any(mark in values["allowed_hosts"] for mark in "/*@"):
        yield "ALLOWED_HOSTS: takes names and addresses without a scheme, with commas"
    if values["egress_proxy"] and not _is_host_and_port(values["egress_proxy"]):
        yield "EGRESS_PROXY: takes host:port, without a scheme or a password"
    contacts = filter(None, re.split(r"\s*,\s*", values["security_contact"].strip()))
    if not all(map(_CONTACT.fullmatch, contacts)):
        yield "SECURITY_CONTACT: takes addresses with https:, mailto: or tel:"
    if values["security_policy_url"] and not _PAGE.fullmatch(values["security_policy_url"]):
        yield "SECURITY_POLICY_URL: takes an address with https:"
    yield from _mail(values)


def _servers(values: Values) -> Iterator[str]:
    """The messages of the libraries are not repeated: they may hold a password."""
    for name in _DATABASE_URLS:
        if not is_database_url(values[name]):
            yield (
                f"{name.upper()}: must look like postgresql://user:password@host/name, with %25"
                " for a % of the password"
            )
    try:
        redis_urls.parse(values["redis_url"])
    except redis_urls.BadRedisUrl as error:
        yield f"REDIS_URL: {error}"


def _is_host_and_port(text: str) -> bool:
    found = _HOST_AND_PORT.fullmatch(text)
    return found is not None and 0 < int(found["port"]) <= MOST_PORT


def _mail(values: Values) -> Iterator[str]:
    if values["smtp_url"]:
        try:
            smtp_url.parse(values["smtp_url"])
        except smtp_url.BadSmtpUrl as error:
            yield f"SMTP_URL: {error}"
        if not values["mail_from"]:
            yield "SMTP_URL: needs MAIL_FROM"
    if values["mail_from"] and not _SENDER.fullmatch(values["mail_from"]):
        yield "MAIL_FROM: takes alerts@example.org or Citegrid <alerts@example.org>"


_ALLOW_LISTS: Final = ("fetch_allow", "webhook_allow", "extract_fetch_allow", "web_fetch_allow")


def _fetches(values: Values) -> Iterator[str]:
    if not FETCH_CONTACT.fullmatch(values["fetch_contact"]):
        yield "FETCH_CONTACT: takes 1-200 printable ASCII characters without parentheses"
    for name in _ALLOW_LISTS:
        try:
            allow_list.parse_allow_list(values[name])
        except ValueError as error:
            yield f"{name.upper()}: {error}"


_CHOICES: Final = {
    "log_level": ("DEBUG", "INFO", "WARNING", "ERROR"),
    "nodes_admission": ("open", "approval"),
    "web_worker": ("patient", "gthread"),
}


def _choices(values: Values) -> Iterator[str]:
    for name, choices in _CHOICES.items():
        if values[name] not in choices:
            yield f"{name.upper()}: must be {', '.join(choices[:-1])} or {choices[-1]}"


_ROLE = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_SEGMENT = re.compile(r"[a-z][a-z0-9-]{0,31}")
_INDEX_PREFIX = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def _names(values: Values) -> Iterator[str]:
    if not _ROLE.fullmatch(values["database_role"]):
        yield "DATABASE_ROLE: takes a-z, 0-9 and _, not beginning with a digit"
    if not _SEGMENT.fullmatch(values["extraction_product_segment"]):
        yield "EXTRACTION_PRODUCT_SEGMENT: takes a-z, 0-9 and -, beginning with a letter"
    if not _INDEX_PREFIX.fullmatch(values["index_prefix"]):
        yield "INDEX_PREFIX: takes a-z, 0-9, - and _, beginning with a letter or digit"


_HELD: Final = (
    "waiting_requests",
    "password_requests",
    "export_slots",
    "claim_slots",
    "chat_slots",
)
"""Threads that may be held all at once."""


def _threads(values: Values) -> Iterator[str]:
    if values["web_threads"] < sum(values[name] for name in _HELD) + SPARE_THREADS:
        yield (
            f"WEB_THREADS: must be {SPARE_THREADS} more than WAITING_REQUESTS, PASSWORD_REQUESTS,"
            " EXPORT_SLOTS, CLAIM_SLOTS and CHAT_SLOTS together"
        )


_EXTRAS: Final = (
    (
        "index_url",
        "opensearchpy",
        "needs the extra `opensearch`: pip install --no-deps --require-hashes"
        " -r requirements/opensearch.lock",
    ),
    (
        "tracing_url",
        "opentelemetry",
        "needs the extra `tracing`: pip install --no-deps --require-hashes"
        " -r requirements/tracing.lock",
    ),
)


def _needs(values: Values) -> Iterator[str]:
    if values["embeddings_url"] and not (
        values["embeddings_model"] and values["embeddings_dimensions"]
    ):
        yield "EMBEDDINGS_URL: needs EMBEDDINGS_MODEL and EMBEDDINGS_DIMENSIONS"
    if values["model_url"] and not values["model_name"]:
        yield "MODEL_URL: needs MODEL_NAME"
    for name, package, remedy in _EXTRAS:
        if values[name] and find_spec(package) is None:
            yield f"{name.upper()}: {remedy}"


_ESCAPED: Final = r"(?:[^\s%@/?#]|%[0-9A-Fa-f]{2})"
_HOST: Final = r"(?:\[[0-9A-Fa-f:.]+\]|(?:[^\s%@/?#:,\[\]]|%[0-9A-Fa-f]{2})*)(?::[0-9]{0,5})?"
# https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
_URI: Final = re.compile(
    rf"postgres(?:ql)?://(?:{_ESCAPED}*@)?{_HOST}(?:,{_HOST})*"
    r"(?:/(?:[^%?#]|%[0-9A-Fa-f]{2})*)?(?:\?(?:[^%]|%[0-9A-Fa-f]{2})*)?"
)
_PAIRS: Final = re.compile(r"\s*\w+\s*=.*", re.DOTALL)


def is_database_url(text: str) -> bool:
    """True if it is a connection URI, pairs of names and values, or empty, which are defaults."""
    return not text or bool(_URI.fullmatch(text) or _PAIRS.fullmatch(text))
