"""Read by mypy only: one definition gives each client its own types."""

from collections.abc import AsyncGenerator, Generator
from typing import Any, assert_type

from citegrid import (
    AsyncClient,
    Client,
    Page,
    PublicOffer,
    RawResponse,
    Result,
    Search,
    SearchEvent,
)
from citegrid.nouns.account.api_keys import ApiKey
from citegrid.nouns.search.search_results import SearchSummary


def blocking(client: Client) -> None:
    assert_type(client.searches.get("srch_a", wait=1), Search)
    assert_type(client.searches.list(status="failed"), Page[SearchSummary])
    assert_type(client.searches.iterate(), Generator[SearchSummary, None, None])
    assert_type(client.searches.events("srch_a"), Generator[SearchEvent, None, None])
    assert_type(client.searches.ask("Why?", timeout=3), Result)
    assert_type(client.offers.get("id"), PublicOffer)
    assert_type(client.api_keys.update("key_a", name="ci"), ApiKey)
    assert_type(client.searches.get("srch_a", timeout=3), Search)
    assert_type(client.with_options(timeout=3, retries=0).searches.get("srch_a"), Search)
    raw = client.with_raw_response.searches.get("srch_a")
    assert_type(raw, RawResponse[Search])
    assert_type(raw.value.to_dict(), dict[str, Any])
    client.with_raw_response.searches.iterate()  # type: ignore[arg-type]
    client.searches.get(5)  # type: ignore[call-overload]
    client.searches.get("srch_a", hold=1)  # type: ignore[call-overload]


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.searches.get("srch_a", wait=1), Search)
    assert_type(await client.searches.list(status="failed"), Page[SearchSummary])
    assert_type(client.searches.iterate(), AsyncGenerator[SearchSummary, None])
    assert_type(client.searches.events("srch_a"), AsyncGenerator[SearchEvent, None])
    assert_type(await client.searches.ask("Why?", timeout=3), Result)
    assert_type(await client.offers.get("id"), PublicOffer)
    assert_type(await client.searches.get("srch_a", timeout=3), Search)
    assert_type(await client.with_options(headers={}).searches.get("srch_a"), Search)
    assert_type(await client.with_raw_response.offers.get("id"), RawResponse[PublicOffer])
    await client.searches.get("srch_a", hold=1)  # type: ignore[call-overload]
