"""Two tools about corpora: what there is to ask, and one more document of it."""

import json
from functools import partial
from typing import Annotated, Final

from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult
from pydantic import Field

from citegrid.client import AsyncClient
from citegrid.errors import Conflict
from citegrid.mcp.connection import Connect
from citegrid.mcp.shapes import Call, Cursor, Shape
from citegrid.mcp.tools.tool import ClosedTool, done, hints
from citegrid.nouns.search.corpora import Corpus

MARKDOWN: Final = "text/markdown"
MOST_TEXT: Final = 1_000_000
LISTED: Final = "Search in some of them with corpora of service_search."
NONE: Final = "There is none. service_add_document makes one."
ADDED: Final = "It is read within seconds, and then found by service_search with corpora {corpora}."


class ListedCorpus(Shape):
    name: str
    documents: int
    waiting: int
    failed: int


class CorpusList(Shape):
    corpora: list[ListedCorpus] = Field(description="Newest first.")
    next_cursor: str = Field(description="cursor of the next page; empty on the last.")
    next_step: str


class AddedDocument(Shape):
    corpus: str
    key: str
    state: str = Field(description="waiting, ready or failed.")
    next_step: str


CorpusName = Annotated[
    str,
    Field(min_length=1, max_length=80, description="Its name; it is made if there is none."),
]
Key = Annotated[
    str,
    Field(
        min_length=1,
        max_length=500,
        description="Name of the document, such as notes/owls.md; replaces the one of that name.",
    ),
]
Text = Annotated[
    str, Field(min_length=1, max_length=MOST_TEXT, description="The document, as Markdown.")
]


class CorpusTools:
    """The functions behind the tools; their names and arguments are what hosts see."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect

    async def service_list_corpora(
        self, call: Call, cursor: Cursor = ""
    ) -> Annotated[CallToolResult, CorpusList]:
        async with self._connect(call) as client:
            page = await client.corpora.list(cursor=cursor or None)
        listed = [
            ListedCorpus(
                name=corpus.name,
                documents=corpus.documents,
                waiting=corpus.waiting,
                failed=corpus.failed,
            )
            for corpus in page
        ]
        return done(
            CorpusList(
                corpora=listed,
                next_cursor=page.next_cursor or "",
                next_step=LISTED if listed else NONE,
            )
        )

    async def service_add_document(
        self, call: Call, corpus: CorpusName, key: Key, text: Text
    ) -> Annotated[CallToolResult, AddedDocument]:
        async with self._connect(call) as client:
            found = await _corpus(client, corpus.strip())  # as the service keeps names
            document = await client.corpora.upload(found.id, key, text.encode(), MARKDOWN)
        added = AddedDocument(
            corpus=found.name,
            key=document.key,
            state=document.state,
            next_step=ADDED.format(corpora=json.dumps([found.name], ensure_ascii=False)),
        )
        return done(added)


async def _corpus(client: AsyncClient, name: str) -> Corpus:
    """The corpus of that name, which is made if there is none."""
    if (corpus := await _named(client, name)) is not None:
        return corpus
    try:
        return await client.corpora.create(name)
    except Conflict:  # another call has made it meanwhile
        if (corpus := await _named(client, name)) is None:
            raise
        return corpus


async def _named(client: AsyncClient, name: str) -> Corpus | None:
    async for corpus in client.corpora.iterate():
        if corpus.name == name:
            return corpus
    return None


LIST: Final = "The corpora of the user: documents that were added to be searched."
ADD: Final = (
    "Add a document to a corpus of the user, so that later searches find and quote it. Ask the "
    "user before you add anything."
)


def tools(connect: Connect) -> list[Tool]:
    """In the order hosts show them, behind those of searches."""
    do, of = CorpusTools(connect), partial(ClosedTool.of, scope="corpora")
    return [
        of(do.service_list_corpora, "List corpora", LIST, hints(reads=True)),
        of(do.service_add_document, "Add a document", ADD, hints(repeatable=True)),
    ]
