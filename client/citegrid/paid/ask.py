"""The work of `citegrid ask --pay`: pay, keep the context in a file, wait for the answer."""

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from citegrid.nouns.search.search_results import Search
from citegrid.paid.client import PaidClient
from citegrid.paid.context import PaymentContext
from citegrid.paid.handler import PaymentHandler


def ask_paid(
    base_url: str,
    query: str,
    handler: PaymentHandler,
    folder: Path,
    *,
    timeout: float | None = None,
    allow_insecure: bool = False,
    on_paying: Callable[[Path, PaymentContext], None] | None = None,
    **options: Any,
) -> Search:
    """Pay for a search and wait for it.

    The payment context is kept below `folder`, and stays there for whoever resumes it;
    `on_paying` is told of the file before the payment leaves. Raises as PaidClient does.
    """
    save = context_saver(folder, on_paying)
    with PaidClient(base_url, handler, on_context=save, allow_insecure=allow_insecure) as client:
        search, context = client.create_search(query, **options)
        return client.wait_for_search_completion(
            search.id, payment_context=context, timeout=timeout
        )


def context_saver(
    folder: Path, on_paying: Callable[[Path, PaymentContext], None] | None = None
) -> Callable[[PaymentContext], None]:
    """Keeps one payment's contexts in a file below `folder`; tells `on_paying` of the first."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = folder / f"{secrets.token_hex(8)}.json"
    saved = False

    def save(context: PaymentContext) -> None:
        nonlocal saved
        context.save(file)
        if not saved and on_paying is not None:
            on_paying(file, context)
        saved = True

    return save
